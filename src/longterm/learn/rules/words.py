"""The closed lists that make open patterns sharp."""

import re


def _alternatives(words: str) -> str:
    """A pattern for any of the words, the longest first, with `_` for a space or hyphen."""
    ordered = sorted(words.split(), key=len, reverse=True)
    return "(?:" + "|".join(re.escape(word).replace("_", "[ -]?") for word in ordered) + ")"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANGUAGE = _alternatives(
    "english german french spanish italian portuguese dutch polish russian ukrainian czech slovak "
    "hungarian romanian bulgarian serbian croatian bosnian slovenian greek turkish arabic hebrew "
    "farsi persian urdu hindi bengali punjabi tamil telugu marathi gujarati malayalam kannada "
    "nepali thai vietnamese indonesian malay tagalog filipino japanese korean chinese mandarin "
    "cantonese swedish norwegian danish finnish icelandic estonian latvian lithuanian irish welsh "
    "catalan basque galician albanian macedonian georgian armenian azerbaijani kazakh uzbek "
    "mongolian swahili yoruba igbo hausa zulu xhosa afrikaans amharic somali latin esperanto "
    "luxembourgish maltese sign_language asl swiss_german brazilian_portuguese american_english "
    "british_english deutsch englisch französisch spanisch italienisch français anglais allemand "
    "español inglés francés alemán italiano inglese francese tedesco português inglês "
    "spagnolo espagnol italien portugais portugués castellano nederlands engels duits frans spaans "
    "niederländisch polnisch türkisch russisch"
)

PROGRAMMING = _alternatives(
    "python javascript typescript java kotlin swift rust go golang c c++ c# ruby php perl scala "
    "haskell elixir erlang clojure julia r matlab lua dart ocaml f# zig nim fortran cobol "
    "objective-c visual_basic delphi groovy bash powershell sql lisp scheme prolog elm"
)

TOOLS: dict[str, str] = {
    "editor": _alternatives(
        "vim neovim nvim emacs doom_emacs spacemacs vs_code vscode visual_studio_code "
        "visual_studio sublime_text sublime intellij intellij_idea pycharm webstorm phpstorm "
        "goland clion rider rubymine android_studio xcode eclipse netbeans nano helix zed cursor "
        "atom notepad++ kakoune jupyter rstudio"
    ),
    "os": _alternatives(
        "linux ubuntu debian fedora arch arch_linux nixos gentoo manjaro linux_mint opensuse "
        "macos mac_os mac windows windows_10 windows_11 freebsd openbsd wsl wsl2 pop_os"
    ),
    "shell": _alternatives("zsh fish nushell tcsh ksh"),
    "terminal": _alternatives("iterm2 iterm alacritty kitty wezterm tmux ghostty"),
    "framework": _alternatives(
        "django flask fastapi rails ruby_on_rails react react_native vue vue.js svelte sveltekit "
        "angular next.js nextjs nuxt laravel symfony spring spring_boot express express.js "
        "phoenix ember htmx astro solid.js solidjs flutter pytorch tensorflow jax keras "
        ".net asp.net nestjs"
    ),
    "database": _alternatives(
        "postgres postgresql mysql mariadb sqlite mongodb redis cassandra dynamodb oracle "
        "sql_server clickhouse duckdb"
    ),
    "formatter": _alternatives("black ruff prettier gofmt rustfmt yapf autopep8 biome eslint"),
    "browser": _alternatives("firefox chrome brave safari vivaldi opera microsoft_edge chromium"),
    "package_manager": _alternatives("poetry pipenv conda npm pnpm yarn bun homebrew uv nix"),
    "notes": _alternatives("obsidian notion evernote logseq roam org-mode onenote joplin"),
}

DIET = _alternatives(
    "vegan vegetarian veggie pescatarian pescetarian flexitarian lacto-ovo_vegetarian "
    "ovo-lacto_vegetarian lacto_vegetarian lacto-vegetarian ovo-vegetarian plant-based keto "
    "ketogenic paleo halal kosher gluten_free dairy_free sugar_free low_carb low_fodmap "
    "low_sodium raw_vegan fruitarian carnivore whole30 mediterranean vegitarian vegeterian "
    "vegatarian vegetarion lactose_free nut_free"
)

FOOD = _alternatives(
    "meat pork beef chicken fish seafood shellfish shrimp prawns dairy milk cheese butter eggs egg "
    "gluten wheat bread sugar nuts peanuts soy tofu mushrooms onions onion garlic tomatoes alcohol "
    "coffee caffeine red_meat lamb veal poultry ham bacon gelatin honey rice pasta carbs "
    "spicy_food spicy_foods raw_fish sushi lactose cilantro coriander wine beer soda fried_food "
    "fast_food junk_food processed_food animal_products anything_with_gluten gluten_or_dairy "
    "celery sesame bananas kiwi strawberries citrus grapefruit eggplant olives liver"
)

OCCUPATION = _alternatives(
    "engineer developer programmer coder scientist analyst architect designer teacher professor "
    "lecturer tutor nurse doctor physician surgeon dentist pharmacist therapist psychologist "
    "psychiatrist counselor counsellor paramedic midwife vet veterinarian lawyer attorney "
    "paralegal solicitor barrister judge notary accountant bookkeeper auditor actuary economist "
    "banker broker trader consultant manager director executive ceo cto cfo coo vp founder "
    "co-founder cofounder entrepreneur freelancer contractor recruiter administrator sysadmin "
    "devops technician mechanic electrician plumber carpenter welder machinist builder roofer "
    "painter gardener landscaper farmer rancher fisherman baker chef cook barista bartender "
    "waiter waitress server butcher cashier clerk receptionist secretary assistant librarian "
    "archivist curator historian archaeologist journalist reporter editor writer author novelist "
    "poet blogger copywriter translator interpreter linguist photographer filmmaker videographer "
    "animator illustrator artist musician singer songwriter composer producer dj dancer "
    "choreographer actor actress comedian director stylist hairdresser barber beautician "
    "pilot sailor captain driver trucker courier dispatcher firefighter policeman policewoman "
    "detective soldier officer marine biologist chemist physicist mathematician statistician "
    "researcher astronomer geologist meteorologist ecologist botanist zoologist neuroscientist "
    "student undergraduate postdoc salesperson salesman saleswoman realtor marketer strategist "
    "planner coordinator supervisor foreman nanny babysitter caregiver housekeeper janitor "
    "cleaner nutritionist dietitian trainer coach instructor physiotherapist chiropractor "
    "optometrist radiologist cardiologist neurologist oncologist pediatrician anesthesiologist "
    "dermatologist epidemiologist lifeguard tailor seamstress jeweler florist potter sculptor "
    "blacksmith luthier upholsterer streamer youtuber podcaster gamer homemaker housewife "
    "stay-at-home_mom stay-at-home_dad stay-at-home_parent retiree pensioner priest pastor rabbi "
    "imam monk nun missionary politician diplomat ambassador senator civil_servant social_worker "
    "flight_attendant tester maintainer technologist specialist representative rep agent inspector "
    "surveyor operator tech_lead team_lead lead scrum_master product_owner intern apprentice "
    "trainee freelance shopkeeper owner bus_driver postman mailman bricklayer mason glazier "
    "dev swe webdev phd_candidate doctoral_candidate tech aide carrier worker guard attendant handler educator academic associate "
    "advisor adviser installer repairman undertaker stocker packer picker splicer copyeditor proofreader groomer caterer barrister violinist pianist cellist "
    "guitarist drummer florist beekeeper locksmith handyman paramedic hygienist sonographer "
    "radiographer phlebotomist obstetrician gynecologist orthodontist optician podiatrist "
    "underwriter teller valet porter bellhop concierge sommelier brewer winemaker fishmonger "
    "grocer merchandiser buyer economist criminologist sergeant lieutenant medic sailor "
    "freshman sophomore high_school_senior stay_at_home_mum stay-at-home_mum headteacher principal "
    "dean provost au_pair masseuse masseur tattooist tattoo_artist makeup_artist jockey referee "
    "footballer cyclist typist stenographer roadie stagehand puppeteer magician clown gravedigger "
    "undertaker mortician embalmer docent ranger forester logger miner geographer cartographer"
)

SUBJECT = _alternatives(
    "law medicine biology chemistry physics mathematics maths math computer_science cs engineering "
    "economics econ history philosophy psychology architecture linguistics nursing literature "
    "art_history political_science sociology business business_administration accounting marketing "
    "design statistics data_science pharmacy dentistry education journalism music theology "
    "geography geology astronomy neuroscience anthropology informatics archaeology fine_arts "
    "international_relations public_health veterinary_medicine biochemistry physiotherapy"
)

FIELD = _alternatives(
    "it hr finance marketing sales healthcare education retail construction logistics tech "
    "accounting advertising banking insurance law logistics manufacturing hospitality tourism "
    "biotech pharma publishing journalism media film television gaming cybersecurity security "
    "consulting agriculture aviation software real_estate customer_service customer_support "
    "human_resources data_science machine_learning research academia government public_health "
    "the_film_industry the_music_industry the_public_sector game_development web_development "
    "software_development fintech nursing robotics ai e-commerce ecommerce procurement pr qa"
)

ORGANISATION = _alternatives(
    "company startup start-up hospital clinic school university college bank firm agency shop "
    "store restaurant cafe café bakery bar hotel library museum lab laboratory studio nonprofit "
    "non-profit ngo charity government council factory plant warehouse farm garage salon gym "
    "pharmacy office practice bookstore supermarket zoo shelter institute consultancy newspaper "
    "publisher airline airport dealership kindergarten daycare brewery winery gallery theater"
)

NOT_NAMES = _words(
    """a an the not on in at of to so too very already also just only still hard difficult easy
    long short common rare unique weird funny spelled spelt pronounced written listed known unknown
    something nothing irrelevant none unimportant private secret wrong right correct missing
    misspelled different mine yours his hers their its my your our this that these those what who
    whatever here there where when why how if and or but is are was be being been getting like
    later back again tomorrow tonight today now soon anytime sometime maybe when whenever before
    after once crazy weird old old-fashioned paranoid naive stupid lazy picky cynical sentimental
    biased silly dumb nerdy boring skeptical sceptical pessimistic optimistic selfish petty shallow
    greedy strict traditional conservative names out up by for from with asap anything anytime
    impressed surprised curious ignorant cheap basic spoiled dramatic superstitious mad insane
    jealous everyone nobody somebody no yes ok okay sorry sure fine good great well tired happy sad
    new ready done back home lost stuck bored busy hungry free single married sick ill looking
    trying going working using having doing writing reading learning thinking wondering planning
    excited glad afraid pretty really quite all both neither either one two three mr mrs ms dr
    sir madam dude bro buddy man boss names using via under taken associated derived based
    python java rust english german french spanish italian american british canadian irish indian
    chinese japanese korean russian polish dutch swedish norwegian danish finnish greek turkish
    mexican brazilian australian portuguese ukrainian european african asian latino latina hispanic
    muslim christian catholic jewish hindu buddhist atheist vegan vegetarian monday tuesday
    wednesday thursday friday saturday sunday january february march april june july august
    september october november december batman superman groot root scottish welsh austrian swiss
    belgian czech hungarian romanian egyptian iranian israeli pakistani thai vietnamese filipino
    colombian argentinian chilean peruvian cuban nigerian kenyan aquarius pisces aries taurus
    gemini cancer leo virgo libra scorpio sagittarius capricorn democrat republican gay bi trans
    lgbtq adhd autistic ceo cto cfo hr it pm qa diabetic celiac deaf blind pregnant allergic
    interested aware certain confused concerned worried convinced familiar gonna gluten keto
    lactose kosher halal team"""
)

NOT_PLACES = _words(
    """fear denial hope hell heaven sin poverty pain luxury peace harmony constant pajamas pyjamas
    my your his her their our this that these those it there here a an the total pure complete
    fantasy reality solitude isolation exile chaos darkness silence comfort style squalor shame
    someone somebody student shared one such interesting sweatpants hopes bed jeans uncertain
    dread moment what which where limbo misery accounting sales
    marketing hr support work school engineering procurement finance legal it afar scratch concert trash"""
)

NOT_ORGANISATIONS = _words(
    """a an the my your his her our their night nights home least it weekends free myself peanuts
    fun money them him day days this that times most all first work being making keeping living
    getting improving monday tuesday wednesday thursday friday saturday sunday someone whoever
    hours people clients you us minimum tips food both no any some two three years months
    yourself understanding becoming various different multiple several many school"""
)

# Beginnings and words that make an object something of the moment, not a lasting taste.
OBJECT_OPENS = re.compile(
    r"(?i)(?:the (?!ocean\b|sea\b|beach\b|mountains?\b|outdoors\b|snow\b|rain\b|cold\b|heat\b|"
    r"summer\b|winter\b|countryside\b|theat(?:er|re)\b|city\b|desert\b|forest\b|(?:taste|smell|sound) of\b|"
    r"(?-i:[A-Z][a-z]+(?: (?:of |the )*[A-Z][a-z]+)*$))|an? (?!good\b|nice\b|clean\b)|"
    r"my (?!coffee\b|tea\b|steak\b|eggs\b)|your|his|her|their|our|its|this|that|"
    r"these|those|it|you|u|ur|ya|y'all|people|myself|yourself|hate|love|like|him|them|us|me|one|both|all|some|any|every|each|what|when|where|how|why|"
    r"who|which|if|because|and|but|or|so|to (?:know|hear|see|get|be|think|say|thank|help|ask|"
    r"admit|break|tell|have|imagine|believe|give|make|interrupt|bother|disturb|sound|use|add|"
    r"try|point|start|schedule|book|order|request|understand|share|report|disagree|burst|rain|"
    r"keep you)|being able|being here|seeing|hearing|knowing|having|getting to|not|no|nothing|"
    r"anything|everything|everyone|someone|something|somebody|anyone|more|most|less|here|there|"
    r"where|as|at|in|on|from|with|for|of|about|by|option|number|version|another|other|neither|"
    r"either)\b"
)
OBJECT_HAS = re.compile(
    r"(?i)\b(?:you|your|yours|it|this|that|these|those|he|him|she|her|hers|them|they|their|his|"
    r"there|here|i|we|us|option|answer|idea|suggestion|when|how|what|if|would|will|did|was|were|"
    r"is|are|has|had|can|could|today|tomorrow|yesterday|tonight|right now|again|last|next|ones?|"
    r"so far|already|yet|together|lately|recently|enough)\b"
)

# What is only loved in jest.
NOBODY_LOVES = re.compile(
    r"(?i)\b(?:being(?! (?:outdoors|outside|in nature|alone|busy|active|creative))|tax(?:es)?|traffic|waiting|"
    r"queu(?:es|ing)|spam|deadlines?|meetings?|mondays?|paperwork|bills|rent|ads|hangovers?|layoffs?|"
    r"dentists?|chores|laundry|homework|exams|bureaucracy|mosquito(?:e?s)?|getting (?:yelled|woken|ghosted|"
    r"rained|sick|up early)|doing (?:the )?dishes|small talk|cleaning (?:up )?after)\b"
)

JOKE_ALLERGIES = _words(
    """meetings mornings monday mondays work people stupidity bullshit drama exercise commitment
    nonsense homework deadlines yaml xml json semicolons javascript java php fun housework cooking
    math maths spreadsheets paperwork bureaucracy buzzwords jargon running cardio cleaning chores
    responsibility adulting idiots politics excel small_talk early_mornings bad_code hard_work
    getting_up waking_up you this that it your my losing failure criticism change morning
    technology email emails powerpoint effort exercising monday_mornings bad_grammar
    microservices regex css code bugs weekends traffic standups bs bull crap lies liars fools
    capitalism taxes love math_homework group_projects alarms mondays jira scrum agile"""
)

FIRST_NAMES = _words(
    """aaron adam adrian agnes agnieszka ahmed aisha alan alba albert alberto alejandro alessandro
    alessia alex alexander alexandra alexis alfred ali alice alicia alina alison allison
    alvaro amanda amara amelia amelie amina amir amit amy ana anders andre andrea andreas
    andrei andres andrew andy angela anika anita anja ann anna anne annie anouk anthony antje
    antoine anton antonio ariana arjun arthur arturo asha ashley astrid aurelie ava axel ayse
    baptiste barbara beatrice beatriz becky ben bence benjamin benoit bernard beth bettina
    bill birgit bob bogdan boris brad bram brandon brenda brian bridget bruna bruno budi caleb
    camila camille carl carla carlos carmen carol caroline catherine cathy cecilia celine chad
    charles charlie charlotte chen chiara chloe chris christian christina christine
    christopher cindy claire clara claudia colin connor consuelo craig cristina cynthia daan
    damian dan dana daniel daniela danielle danny dario darren dave david davide deborah
    deepak delphine dennis derek detlef devin devon dewi diana diego dieter dimitri divya
    dmitri dominic donna doris dorothy doug dragan duncan dylan eddie edgar eduardo edward
    eileen elena eleni eli elias elif elijah eline elisa elizabeth ella ellen ellie elodie
    elsa emil emilio emily emma emre enrique eric erica erik erin esteban esther eszter ethan
    eva evan evelyn fabian fabio farah fatima fatma federica felicity felix femke fernanda
    fernando finn fiona fleur florian frances francesca francisco frank fred freya gabriel
    gabriela gareth gary gavin gemma george gerald gerd gina ginevra giorgia giovanni giulia
    gloria goncalo gonzalo gordon grace greg gregory greta guadalupe gudrun guillaume gustavo
    hana hanna hannah hannes hans harold harry haruto hassan hauke heather hector heidi heike
    helen helena henrik henry herbert hiro horst hugo ian ibrahim ida ignacio ilaria imani
    ines ingrid ioana irene isaac isabel isabella isabelle ismail ivan ivana jack jackie jacob
    jacqueline jake jakob jakub jamal james jamie jan jane janet jason javier jay jean jeff
    jelena jen jenna jennifer jenny jeremy jeroen jess jesse jessica jim jimmy jiri jiwoo jo
    joan joana joanna joanne joao joaquin joe joel johan johanna johannes john johnny jon
    jonas jonathan joost jordan jorge jose josef joseph josh joshua joyce juan juanita judith
    judy juergen julia julian juliana julie julien juliette julio jurgen justin kai karen
    karim karin karl kasper katarzyna kate katharina katherine kathleen kathy katie katrin
    keith kelly ken kenji kevin khalid kim kimberly kirsten klara klaus kofi kristin kumar
    kurt kwame kyle lara larissa lars lasse laszlo laura lauren layla lea leah lee leila lena
    leo leon leonardo leonie leslie leticia lewis leyla liam lina linda linh lisa liz lorenzo
    lotte louis louise luca lucas lucia lucy luis luisa lukas luke lydia maarten magda maja
    malgorzata malik malin manon manuel marc marcel marcelo marco marcos marcus margaret
    margaux maria mariam mariana marie marieke marina mario marion marisol mark marko marlene
    marta martha martin martina marvin mary mateo mathias mathieu mathilde mats matt matteo
    matthew matthias maureen maurice max maya megan mehmet mei melanie melissa mercedes mia
    michael michel michelle miguel mihai mike mikhail mila milena miles milos minjun miriam
    mohamed mohammed molly monica monika morgan moritz muhammad mustafa nadia nadine nancy
    naomi natalia natalie natasha nathan neha neil nguyen nicholas nick nicola nicolas nicole
    nigel niko nikolai nils nina noah noel noor nora norman nuno nuria oleg olga oliver olivia
    olivier omar oscar oskar otavio otto owen pablo paloma paola paolo pascal patricia patrick
    paul paula pauline pavel pedro peggy pete peter petr petra phil philip philipp phoebe
    pierre pieter pilar piotr pooja priya priyanka putri rachel rafael rafaela rahul rainer
    raj rajesh ralph ramiro ramon rania raquel raul ravi ray raymond rebecca regina renata
    rene ricardo riccardo richard rick rita rob robert roberto robin rocio rodrigo roger rohan
    roland romain roman ron ronald rosa rosie ross roy ruben rui ruth ryan sabine sabrina
    sakura sally salma sam samantha samir samuel sandra sandy sanjay sanne santiago sara sarah
    sasha saskia scott sean sebastian selma serena sergio seth shannon sharon sheila shirley
    silke silvia simon simona simone siti sofia sonia sophia sophie stacy stefan stefanie
    stefano steffi stella stephanie stephen steve steven stuart sue susan susanne suzanne sven
    svenja svetlana sylvia sylvie tamara tania tanya tara tatiana ted teresa terry thais theo
    theresa thiago thibault thijs thomas thorsten tiago tiffany tim timo timothy tina tobias
    todd tom tomasz tommy tony torsten tracy travis trevor tristan tyler ulrike uma ursula ute
    uwe valentina valeria valerie vanessa vera veronica veronika veronique victor victoria
    vijay viktor vincent viola vitor vivian vlad vladimir walter wanda wei wendy werner
    wilhelm will willem william xavier ximena yan yara yasmin yuki yusuf yuto yvonne zac zach
    zahra zainab zara zoe zoltan zsofia zuzana"""
)

KIN = {
    "spouse": "wife husband hubby spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend gf bf",
    "child": "son daughter child kid baby stepson stepdaughter",
    "sibling": "brother sister twin stepbrother stepsister",
    "mother": "mother mom mum",
    "father": "father dad",
    "pet": "dog cat puppy kitten parrot hamster rabbit bunny horse pony turtle tortoise fish "
    "goldfish snake gecko lizard iguana bird budgie cockatiel canary ferret rat mouse gerbil "
    "chinchilla hedgehog goat chicken pig duck tarantula frog husky labrador poodle corgi beagle "
    "dachshund retriever shepherd bulldog terrier collie chihuahua pug greyhound dalmatian spaniel "
    "rottweiler doberman schnauzer mastiff whippet labradoodle pitbull kitty "
    "malamute samoyed maltese pomeranian shiba",
}
