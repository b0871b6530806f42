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
    "spagnolo espagnol italien portugais portugués"
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
    "trainee freelance shopkeeper owner bus_driver postman mailman bricklayer mason glazier"
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
    marketing hr support work school engineering procurement finance legal it afar scratch"""
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
    r"summer\b|winter\b|countryside\b|theat(?:er|re)\b|city\b|desert\b|forest\b|colou?r\b|taste\b|"
    r"smell\b|sound\b)|an? (?!good\b|nice\b|clean\b)|"
    r"my (?!coffee\b|tea\b|steak\b|eggs\b)|your|his|her|their|our|its|this|that|"
    r"these|those|it|you|him|them|us|me|one|both|all|some|any|every|each|what|when|where|how|why|"
    r"who|which|if|because|and|but|or|so|to (?:know|hear|see|get|be|think|say|thank|help|ask|"
    r"admit|break|tell|have|imagine|believe|give|make|interrupt|bother|disturb|sound|use|add|"
    r"try|point|start|schedule|book|order|request|understand|share|report|disagree|burst|rain|"
    r"keep you)|being able|being here|seeing|hearing|knowing|having|getting to|not|no|nothing|"
    r"anything|everything|everyone|someone|something|somebody|anyone|more|most|less|here|there|"
    r"where|as|at|in|on|from|with|for|of|about|by|option|number|version|another|other|neither|"
    r"either|the)\b"
)
OBJECT_HAS = re.compile(
    r"(?i)\b(?:you|your|yours|it|this|that|these|those|he|him|she|her|hers|them|they|their|his|"
    r"there|here|i|we|us|option|answer|idea|suggestion|when|how|what|if|would|will|did|was|were|"
    r"is|are|has|had|can|could|today|tomorrow|yesterday|tonight|right now|again|last|next|ones?|"
    r"so far|already|yet|together|lately|recently|enough)\b"
)

JOKE_ALLERGIES = _words(
    """meetings mornings monday mondays work people stupidity bullshit drama exercise commitment
    nonsense homework deadlines yaml xml json semicolons javascript java php fun housework cooking
    math maths spreadsheets paperwork bureaucracy buzzwords jargon running cardio cleaning chores
    responsibility adulting idiots politics excel small_talk early_mornings bad_code hard_work
    getting_up waking_up you this that it your my losing failure criticism change morning
    technology email emails powerpoint effort exercising monday_mornings bad_grammar
    microservices regex css code bugs weekends traffic standups"""
)

FIRST_NAMES = _words(
    """alex alexander alexandra anna anne ana amy andrea andrew andy angela anthony ben benjamin
    bob brian carlos carla caroline charlie chloe chris christina christopher clara claire daniel
    daniela dave david diana diego elena elias elizabeth ella emily emma eric erik eva felix fiona
    frank gabriel george grace hannah harry helen henry ivan jack jacob jake james jan jane jason
    jen jenny jessica jim joan joe joel john jon jonas jonathan jose joseph josh joshua juan julia
    julian julie kate katie kevin kim klara lara laura lea leon lena linda lisa liz louis louise
    lucas lucy luis luke lukas maria marie marco marcus mario mark marta martin mary mateo matt
    matthew max mia michael michelle miguel mike mila mohamed mohammed nadia natalie nick nicole
    nina noah nora oliver olivia omar oscar pablo patricia patrick paul pedro peter phil priya
    rachel raj ravi rebecca ricardo richard rob robert rosa ryan sam samantha sara sarah sebastian
    simon sofia sophia sophie stefan stephanie steve steven susan tanya thomas tim tina tobias tom
    tony victor victoria vincent wei will william yuki zoe"""
)

KIN = {
    "spouse": "wife husband spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend",
    "child": "son daughter child kid baby stepson stepdaughter",
    "sibling": "brother sister twin stepbrother stepsister",
    "mother": "mother mom mum",
    "father": "father dad",
    "pet": "dog cat puppy kitten parrot hamster rabbit bunny horse pony turtle tortoise fish "
    "goldfish snake gecko lizard iguana bird budgie cockatiel canary ferret rat mouse gerbil "
    "chinchilla hedgehog goat chicken pig duck tarantula frog husky labrador poodle corgi beagle "
    "dachshund retriever shepherd bulldog terrier collie chihuahua pug",
}
