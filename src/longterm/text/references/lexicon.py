"""Function words and ordinals of English, German, French, Spanish, Italian and Portuguese."""


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is separated by spaces."""
    return frozenset(words.split())


DETERMINERS = word_set(
    "the a an my our your his her their its this der die das den dem des ein eine einen einem einer"
    " mein meine meinen meiner unser unsere le la les l un une des mon ma mes notre nos el los las"
    " una uno mi mis nuestro nuestra il lo gli i mio mia miei mie nostro nostra o os as um uma meu"
    " minha meus minhas"
)
CONJUNCTIONS = word_set("and but or so und aber oder et mais ou y e pero o ma mas")
ACKNOWLEDGEMENTS = word_set(
    "thanks thank thx ok okay yes yeah yep aye no nope hi hello hey great cool nice fine good right"
    " lovely perfect smashing bye sure danke ja nein gut hallo super merci oui non bonjour gracias"
    " si sí vale hola bueno grazie ciao bene obrigado obrigada sim olá bom got done please pls bitte"
    " porfa por favor plait plaît wow oh ah hmm lol cheers well now"
)
TIMES = word_set(
    "january february march april may june july august september october november december monday"
    " tuesday wednesday thursday friday saturday sunday januar februar märz mai juni juli oktober"
    " dezember montag dienstag mittwoch donnerstag freitag samstag sonntag week month year time day"
    " morning evening weekend night summer winter spring autumn moment once woche jahr mal semana"
    " mes año semaine mois fois settimana mese anno volta mês ano vez tarde noche soir matin"
)
# Words that carry no topic: with these alone, a query says nothing that could be searched for.
FUNCTION_WORDS = (
    DETERMINERS
    | CONJUNCTIONS
    | ACKNOWLEDGEMENTS
    | word_set(
        "i you u he she it we they me him us them that these those there here then one ones is are"
        " was were be been being am do does did done has have had can could will would should shall"
        " may might must not if when where what which who whom whose why how much many long often"
        " old far big in on at to from by with w for of about as into near than over under up down"
        " out off any some all both each every either also just very too only even still already"
        " again more most less least such other another same else instead really quite because s t"
        " m re ve ll d don doesn didn isn won im its whats thats tell give show say said mean means"
        " make made go get got know think want need like use work works take takes last lasts cost"
        " costs happen explain describe continue example examples thing things stuff way better"
        " best worse worst think possible true carry keep going ever never always let put come"
        " shorter longer simpler details detail"
        " ich du er sie es wir ihr mich mir dir dich ihn ihm ihnen sich ist sind war bin hat habe"
        " haben kann können soll sollte muss darf wird werden würde nicht auch noch mehr nur schon"
        " sehr dann damals dort da hier so wie was wo wer wann warum wieso welche welcher welches"
        " viel viele lange oft für mit von bei zu zum zur im am an auf aus nach über um in als wenn"
        " dass denn eigentlich dafür damit davon dazu darauf dabei dies diese dieser dieses sonst"
        " kostet dauert geht gibt heißt bedeutet macht machen weiter"
        " je tu il elle on nous vous ils elles lui leur se ce ça cela ceci celui celle qui que quoi"
        " qu est sont était a ai as ont peut peux puis fait faire faut il-y y en dans pour par avec"
        " sur de du d au aux à chez pas plus aussi très encore même où quand comment combien"
        " pourquoi quel quelle quels quelles c j n t m alors bien coûte dure prend être"
        " yo tú él ella nosotros ellos ellas te le nos su sus esto eso ese esa este esta es son era"
        " fue está están hay ha he han puede puedo tiene tengo se al del con para por en sin sobre"
        " desde hasta más menos muy también tampoco ya solo qué que cuál cuáles cuánto cuánta"
        " cuántos cuándo dónde cómo quién porque entonces allí ahí aquí cuesta dura tarda hace"
        " lui lei noi voi loro questo questa quello quella ciò è sono ho hai può posso deve di da"
        " del della dei delle al alla nel nella con per su tra che chi cosa quale quanto quanta"
        " quanti quando dove come perché non più anche molto ancora solo già allora lì là ci ne"
        " costa si va fa serve ele ela eles elas isso isto aquilo dele dela é são foi está tem"
        " posso pode do da dos das no na nos nas com para por em sem sobre até mais menos muito"
        " também só já qual quais quanto quantos quando onde como quem então lá ali aqui custa"
        " demora leva"
    )
)
HE = word_set(
    "he him his man boy father dad grandfather grandpa brother husband boyfriend son grandson uncle"
    " nephew guy king mr herr er ihn ihm mann vater opa bruder sohn onkel il mari père frère fils"
    " oncle él marido padre hermano hijo tío lui marito fratello figlio zio ele marido pai irmão"
    " filho"
)
SHE = word_set(
    "she her hers woman girl mother mum mom grandmother grandma sister wife girlfriend daughter"
    " granddaughter aunt niece queen mrs ms lady frau mutter oma schwester tochter tante elle femme"
    " mère soeur sœur fille ella mujer esposa madre hermana hija tía lei moglie sorella figlia zia"
    " ela mulher esposa mãe irmã filha"
)
POSITIONS = {
    word: place
    for place, words in enumerate(
        (
            "1 one first 1st eins erste ersten erster erstes un premier première premiere 1er uno"
            " primer primera primero primo prima um primeiro primeira",
            "2 two second 2nd zwei zweite zweiten zweiter zweites deux deuxième deuxieme second"
            " seconde dos segunda segundo due secondo seconda dois duas",
            "3 three third 3rd drei dritte dritten dritter drittes trois troisième troisieme tres"
            " tercer tercera tercero tre terzo terza três terceiro terceira",
            "4 four fourth 4th vier vierte vierten vierter viertes quatre quatrième quatrieme cuatro"
            " cuarta cuarto quattro quarto quarta quatro",
            "5 five fifth 5th fünf funf fünfte fünften fünfter fünftes funfte cinq cinquième"
            " cinquieme cinco quinta quinto cinque",
            "6 six sixth 6th sechs sechste sechsten sechster sixième sixieme seis sexta sexto sei",
            "7 seven seventh 7th sieben siebte siebten sept septième septieme siete séptima sette",
            "8 eight eighth 8th acht achte achten huit huitième huitieme ocho octava otto oito",
            "9 nine ninth 9th neun neunte neunten neuf neuvième neuvieme nueve novena nove",
            "10 ten tenth 10th zehn zehnte zehnten dix dixième dixieme diez décima dieci dez",
        ),
        start=1,
    )
    for word in words.split()
}
CARDINALS = word_set(
    "one two three four five six seven eight nine ten eins zwei drei vier fünf sechs sieben acht"
    " neun zehn un deux trois quatre cinq six sept huit neuf dix uno dos tres cuatro cinco seis"
    " siete ocho nueve diez due tre quattro cinque sei sette otto nove dieci um dois duas três"
    " quatro oito dez 1 2 3 4 5 6 7 8 9 10"
)
LAST = word_set(
    "last final letzte letzten letzter letztes dernier dernière derniere último última ultimo"
    " ultima"
)
