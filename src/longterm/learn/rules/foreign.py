"""The closed lists of jobs and relatives in German, French, Spanish, Italian, Portuguese, Dutch."""

import re

_JOBS = """
    lehrer(?:in)? ingenieur(?:in)? arzt ärztin zahnarzt zahnärztin tierarzt tierärztin
    krankenschwester krankenpfleger(?:in)? pflegefachkraft entwickler(?:in)?
    softwareentwickler(?:in)? webentwickler(?:in)? programmierer(?:in)? informatiker(?:in)? student(?:in)?
    schüler(?:in)? azubi anwalt anwältin rechtsanwalt rechtsanwältin architekt(?:in)?
    designer(?:in)? grafikdesigner(?:in)? koch köchin kellner(?:in)? journalist(?:in)? verkäufer(?:in)?
    mechaniker(?:in)? elektriker(?:in)? rentner(?:in)? psychologe psychologin berater(?:in)?
    buchhalter(?:in)? übersetzer(?:in)? bäcker(?:in)? friseur(?:in)? polizist(?:in)? erzieher(?:in)?
    hebamme apotheker(?:in)? biologe biologin physiker(?:in)? chemiker(?:in)? landwirt(?:in)?
    tischler(?:in)? schreiner(?:in)? fotograf(?:in)? musiker(?:in)? hausmeister(?:in)? doktorand(?:in)?
    sozialarbeiter(?:in)? physiotherapeut(?:in)? steuerberater(?:in)?
    développeu(?:r|se) ingénieure? médecin infirmi(?:er|ère) professeure? enseignante? étudiante?
    avocate? architecte boulang(?:er|ère) cuisini(?:er|ère) comptable journaliste traduct(?:eur|rice)
    pharmacien(?:ne)? dentiste vétérinaire coiffeu(?:r|se) électricien(?:ne)? plombier
    menuisier mécanicien(?:ne)? retraitée? graphiste psychologue chercheu(?:r|se) policière?
    vendeu(?:r|se) serveu(?:r|se) institut(?:eur|rice) fonctionnaire kinésithérapeute sage-femme
    profesora? maestr[oa] ingenier[oa] médic[oa] enfermer[oa] abogad[oa] arquitect[oa]
    desarrollador(?:a)? programador(?:a)? estudiante periodista contador(?:a)? cociner[oa]
    camarer[oa] mesero dentista veterinari[oa] psicólog[oa] traductor(?:a)? diseñador(?:a)?
    electricista carpinter[oa] jubilad[oa] farmacéutic[oa] fontanero panader[oa] peluquer[oa] biólog[oa]
    insegnante professore professoressa ingegnere infermier[ea] avvocat[oa] architetto
    sviluppat(?:ore|rice) programmat(?:ore|rice) studente studentessa giornalista commercialista cuoc[oa]
    camerier[ea] traduttore traduttrice psicolog[oa] grafic[oa] elettricista pensionat[oa]
    farmacista parrucchier[ea] impiegat[oa] medico
    professor(?:a)? engenheir[oa] enfermeir[oa] advogad[oa] arquitet[oa] desenvolvedor(?:a)?
    jornalista contador(?:a)? cozinheir[oa] veterinári[oa] tradutor(?:a)? designer estudante
    eletricista aposentad[oa] farmacêutic[oa] padeir[oa] médic[oa]
    leraar lerares docent ingenieur arts verpleegkundige tandarts dierenarts advocaat
    ontwikkelaar softwareontwikkelaar programmeur studente? kok journaliste? boekhoud(?:er|ster)
    vertaler vertaalster elektricien timmerman kapper kapster architect bakker psycholoog
    gepensioneerd verloskundige
"""
# "Softwareentwicklerin", "profesora de historia", "ingénieure du son".
OCCUPATION = (
    r"(?:"
    + "|".join(_JOBS.split())
    + r")(?: (?:de|d'|del|di|en|da|do|du) ?(?!un|mi|la\b)(?-i:[a-zà-ÿ])[\w'-]+)?"
)

KIN = {
    "spouse": "frau mann ehefrau ehemann freundin freund verlobte verlobter partnerin partner "
    "femme mari copine copain compagne compagnon mujer esposa esposo marido novia novio pareja "
    "moglie marito fidanzata fidanzato ragazza ragazzo compagna compagno esposa marido namorada "
    "namorado vrouw man vriendin vriend",
    "child": "tochter sohn fille fils hija hijo figlia figlio filha filho dochter zoon",
    "sibling": "schwester bruder sœur soeur frère hermana hermano sorella fratello irmã irmão zus broer",
    "mother": "mutter mère madre mamá mãe moeder mama",
    "father": "vater père padre papá pai vader papa",
    "pet": "hund hündin katze kater chien chienne chat chatte perro perra gato gata cane cagnolino "
    "gatto gatta cão cachorro cadela hond kat poes pferd cheval caballo",
}
RELATIVES = {word: kind for kind, listed in KIN.items() for word in listed.split()}
_MINE = r"(?:meine?|unsere?|mon|ma|notre|mi|nuestr[oa]|(?:il |la )?mi[oa]|(?:o |a )?(?:meu|minha)|mijn|onze)"
_IS_CALLED = r"(?:heißt|heisst|s'appelle|se llama|si chiama|(?:se )?chama(?:-se)?|heet)"
_A = r"(?:ich habe|wir haben|j'ai|nous avons|tengo|tenemos|ho|abbiamo|tenho|temos|ik heb|we hebben)"
_ONE = r"(?:einen?|une?|una|un'|uma?|een)"
_WHO = (
    r"(?:namens|nommée?|qui s'appelle|que se llama|llamad[oa]|che si chiama|di nome|chamad[oa]|"
    r"que se chama|genaamd|die|der)"
)
_KIN = "|".join(RELATIVES)
NAMED = re.compile(
    rf"(?i)(?:{_MINE} (?P<kin>{_KIN}) {_IS_CALLED}|{_A} {_ONE} ?(?P<kin2>{_KIN}),? {_WHO})"
    r" (?P<name>(?-i:[A-ZÀ-Þ])[\w'-]+)"
)
