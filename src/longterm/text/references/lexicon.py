"""Words by what they do in a sentence: little of the language, but enough for references."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


DETERMINERS = _set(
    "the a an my our his her their your its el la los las un una mi mis tu le les mon ma mes"
    " der das den dem ein eine einen meine mein unser unsere"
)
GERMAN_ARTICLES = _set("der das den dem ein eine einen meine mein unser unsere")
INDEFINITE = _set("a an")

AUXILIARIES = _set(
    "is are was were be been am do does did has have had can could will would should shall may"
    " might must isn't aren't wasn't weren't doesn't don't didn't can't couldn't won't wouldn't"
    " shouldn't hasn't haven't ist sind war kann hat es est sont son era fue puede peut"
)

PREPOSITIONS = _set(
    "in on at to from by with for of about into near around over under through during without"
    " between after before since until till via against like than as per towards behind beside"
    " inside outside beyond within across along off onto upon nach aus mit von bei für über en de"
    " con para por sobre desde hasta à dans avec pour sur chez vers"
)
PLACE_PREPOSITIONS = _set("in at near around across nach bei en à chez inside outside visit")

QUESTION_WORDS = _set(
    "what which who whom whose when where why how what's who's where's how's when's was wie wo"
    " wer wann warum welche welcher qué cuál cuánto cuándo dónde cómo quién quel quelle quand où"
    " combien comment pourquoi qui que"
)

PRONOUNS = _set(
    "i you he she it we they me him us them this that these those there here then one ones"
    " someone something anything everything nothing mine yours i'm i've i'd i'll you're it's"
    " that's he's she's they're we're let's there's ich du er sie wir ihr mich mir dir ihn ihm"
    " yo tú él ella me te se eso esto je tu il elle nous vous ça cela on y"
)

FUNCTION_WORDS = (
    DETERMINERS
    | AUXILIARIES
    | PREPOSITIONS
    | QUESTION_WORDS
    | PRONOUNS
    | _set(
        "and or but if so because while although though whether not no nor yes yeah ok okay any"
        " some all both each every either neither also just very too only even still already yet"
        " again more most much many few less least such other another same own really quite"
        " please thanks thank well now und oder aber nicht auch bitte mehr y o pero no sí más et"
        " ou mais pas plus"
    )
)

# They end a noun phrase in a question without an ending to tell them by: "does the flight take".
VERBS = _set(
    "take takes took cost costs work works worked mean means meant start starts started end ends"
    " go goes went gone come comes came need needs needed live lives lived happen happens happened"
    " look looks say says said use uses used make makes made run runs get gets got open opens close"
    " closes closed help helps know knew known think want wants like likes liked love loves tell"
    " told give gives gave find found show showed see saw seen feel feels buy bought sell sold eat"
    " ate drink write wrote written read play plays played leave leaves left arrive arrives"
    " stay stays become became begin began born die died do doing done going compare compares"
    " differ differs belong contain contains include includes require requires rain snow grow"
    " grows sleep fly flies drive drives travel recommend suggest explain describe define list"
    " book booked visit visited meet met call called speak spoke talk talked send sent ask asked"
    " win won wins lose lost pay paid keep kept fix bake cook learn teach try build built move"
    " moved weigh weighs invented wrote discovered founded created designed quickly properly together online freeze kostet liegt kommt geht gibt"
    " heißt bedeutet cuesta está tiene hay coûte"
)

# With these alone a query says nothing that could be searched for.
EMPTY = FUNCTION_WORDS | _set(
    "tell give show say said mean means go get do does did doing done make know think want need"
    " explain describe continue elaborate example examples else thing things stuff way like"
    " about good bad better best right wrong true sure think happened happen work works use"
    " hmm oh ah hey hi hello great nice cool"
)

PEOPLE = _set(
    "mother mom mum father dad sister brother wife husband partner girlfriend boyfriend son"
    " daughter aunt uncle cousin niece nephew grandmother grandma grandfather grandpa friend boss"
    " colleague manager teacher doctor dentist lawyer neighbour neighbor author writer singer"
    " actor actress director president king queen inventor founder composer painter poet player"
    " landlord coach nurse therapist professor ceo scientist baby dog cat puppy kitten pet man woman boy girl guy"
)
SHE = _set(
    "mother mom mum sister wife girlfriend daughter aunt niece grandmother grandma actress queen"
    " woman girl mrs ms miss frau lady ada alice amy anna anne clara diana elena elizabeth emily"
    " emma eva grace hannah isabel jane julia karen kate laura lena linda lisa lucy maria marie mary"
    " maya nina nora olivia priya rachel rosa sara sarah sofia sophie susan yuki zoe"
)
HE = _set(
    "father dad brother husband boyfriend son uncle nephew grandfather grandpa king man boy guy mr"
    " herr sir adam andrew ben bob brian carl carlos charles daniel david eric frank george harry"
    " henry ian jack jacob james jim joe john jonathan jose josé juan leo lucas luis mark martin"
    " matt max michael miguel mike noah oscar patrick paul peter robert simon stefan stephen thomas"
    " tim tom will william albert isaac"
)
TITLES = _set("mr mrs ms miss dr prof professor sir lady president king queen saint pope frau herr")

# The commonest given names: they tell a person from a place where nothing else does.
GIVEN_NAMES = _set(
    "ada adam alex alice amy andrew anna anne ben bob brian carl carlos charles chris clara daniel"
    " david diana elena elizabeth emily emma eric eva frank george grace hannah harry henry ian"
    " isabel jack jacob james jane jean jim joe john jonathan jose josé juan julia karen kate laura"
    " lena leo linda lisa lucas lucy luis maria marie mark martin mary matt max maya michael miguel"
    " mike nina noah nora olivia oscar patrick paul peter priya rachel robert rosa sam sara sarah"
    " simon sofia sophie stefan stephen susan thomas tim tom will william yuki zoe albert isaac"
)
PLACE_NAMES = _set(
    "africa amsterdam asia athens australia austria barcelona beijing belgium berlin boston brazil"
    " brussels budapest california canada chicago china copenhagen delhi denmark dublin edinburgh"
    " egypt england europe finland florence florida france geneva germany greece hamburg hungary"
    " iceland india ireland italy japan kyoto lisbon london madrid mexico miami milan moscow mumbai"
    " munich naples netherlands norway oslo paris peru poland porto portugal prague rome russia"
    " scotland seattle seoul seville spain stockholm sweden switzerland sydney texas thailand"
    " tokyo toronto turkey ukraine valencia venice vienna vietnam wales warsaw zurich zürich"
    " münchen wien köln lisboa oporto sevilla españa alemania lyon marseille nice"
)
PLACE_NOUNS = _set(
    "city town village country island hotel hostel restaurant café cafe bar museum station airport"
    " park beach office school university hospital library church castle region capital state"
    " street shop store market harbour harbor mountain lake river stadium gym theatre theater"
)
TIME_NOUNS = _set(
    "day days week weeks month months year years hour hours minute minutes morning afternoon"
    " evening night weekend summer winter spring autumn fall time moment today tomorrow yesterday"
    " monday tuesday wednesday thursday friday saturday sunday january february march april may"
    " june july august september october november december christmas easter"
)
