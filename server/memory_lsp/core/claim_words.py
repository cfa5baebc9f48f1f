"""The words that turn a sentence around, count, date or assign something: English, German, Spanish, Chinese; folded."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def _table(text: str) -> Mapping[str, int]:
    """Return a mapping from lines such as `monday mondays montag: 1`."""
    table: dict[str, int] = {}
    for line in text.strip().splitlines():
        names, _, value = line.partition(":")
        table.update(dict.fromkeys(names.split(), int(value)))
    return MappingProxyType(table)


# Each of these turns its clause around; two of them leave it as it is.
NEGATIVE = words_of("""
not never no none nothing nobody neither nor cannot without avoid avoids forbid forbids forbidden ban banned bans
prohibit prohibited prohibits disallow disallowed disable disabled disables deactivated optional dislike dislikes hate
hates stop skip refuse refrain omit unnecessary unwanted against abandoned removed
nicht nie niemals kein keine keiner keinen keinem keines ohne verboten untersagt vermeiden vermeide deaktiviert
ausgeschaltet unzulassig nichts niemand freiwillig
nunca jamas sin ningun ninguna ninguno nadie nada tampoco prohibido prohibida prohibidos prohibidas prohibe evitar evita
evite desactivado desactivada opcional
""")
# A sentence that holds one of these asserts what it would assert without them.
AFFIRMATIVE = words_of("""
always must should shall may can might could will would allowed allow allows permitted permit permits fine ok okay
enable enabled enables activated mandatory required require requires needed need needs like likes love want wants every
each all any only even ever just welcome acceptable encouraged recommended obligatory everybody everyone really
immer stets muss mussen soll sollen darf durfen kann konnen erlaubt zulassig aktiviert eingeschaltet pflicht notwendig
notig jede jeder jedes jeden alle allen bitte
siempre debe deben deber puede pueden permite permiten permitido permitida permitidos activado activada obligatorio
obligatoria necesario todo toda todos todas cada hay que
""")
# Words that say little on their own: their absence on one side means nothing.
WEAK = words_of("""
work works working keep keeps kept open opens set sets put puts take takes start starts begin begins thing things way
new now currently directly simply please default also maximum minimum max min limit most least enough single still
already today full whole own first at-least exactly about around roughly half usually normally generally fully it them
they this that there here own same different one two do does done be been being is are was were has have had write give
gives given go goes went get gets make makes made use uses used using live lives hold holds last lasts
giving doing having making getting taking keeping putting
werden wird sein ist sind war noch schon nur auch genau
son es esta estan ser haber ya solo tambien
""")
# Behind one of these, what is said holds only sometimes.
CONDITIONAL = words_of("""
if when whenever while unless until wenn falls sobald solange bis bei si cuando mientras hasta where wherever
""")
EXCEPTION = words_of("""
except unless exception exceptions besides ausser ausgenommen ausnahme salvo excepto excepcion menos otherwise
""")
RESTRICTION = words_of("only nur solo solamente unicamente ausschliesslich exclusively merely")
UPPER = re.compile(r"\b(?:at most|(?:limited|capped|restricted) (?:to|at)|up to|no more than|not more than|maximum|max|"
                   r"hochstens|maximal|bis zu|como maximo|"
                   r"hasta|below|under|less than|fewer than|within)\b|最多|至多|不超过|"
                   r"不能超过|不得超过|以内|以下")  # fmt: skip
LOWER = re.compile(r"\b(?:at least|no less than|not less than|no fewer than|minimum|min|mindestens|wenigstens|"
                   r"al menos|como minimo|more than|above|or newer|or more)\b|至少|不少于|不能少于|"
                   r"不得少于|不低于|起码|以上")  # fmt: skip

# What is said otherwise but means one word above; applied before the text is cut into words.
REWRITES: tuple[tuple[re.Pattern[str], str], ...] = tuple((re.compile(pattern), put) for pattern, put in (
    (r"n['’]t\b", " not"),
    # Denied once, although two words say so.
    (r"\bnot((?: [\w'’-]+){1,6}?) any ?more\b", r"not\1"),
    (r"\b(is|are|stay|stays|remain|remains) blocked\b(?! (?:by|on|until|for)\b)", r"\1 forbidden"),
    (r"\b(?:is|are) (?:limited|capped|restricted) (?:to|at)\b", " "),
    (r"\bcannot\b", "can not"),
    (r"\b(?:no|not) (?:less|fewer|more|later|earlier|older|newer|longer) than\b", " "),
    (r"\bat (?:least|most)\b|\bup to\b|\b(?:less|fewer|more) than\b|\bor (?:newer|more|later|less)\b", " "),
    (r"\b(?:not (?:only|just|even|least)|nothing (?:else|but|more)|no (?:matter|doubt|other)|whether or not|if not)\b",
     " "),
    (r"\bno longer\b|\bno more\b|\bnot any ?more\b|\bany ?more\b", " not "),
    (r"\bno one\b", "nobody"),
    (r"\boff[ -]limits\b", "forbidden"),
    (r"\b(?:switched|turned) off\b(?! (?:at|in|on)\b)|\boff by default\b", "disabled"),
    (r"\b(?:switched|turned) on\b|\bon by default\b", "enabled"),
    (r"\b(?:leave|leaves|keep|keeps|stay|stays)\b((?: [\w'’-]+){0,4}?) out\b(?: of\b)?", r"avoid\1 "),
    (r"\bnicht mehr\b", "nicht"), (r"\bya no\b", "no"), (r"\bno se (?:debe|puede)n?\b", "no se"),
    # Spanish says no twice and means it once.
    (r"\bno\b((?: \w+){1,4}) (?:nunca|jamas|nadie|nada|tampoco|ningun[ao]?)\b", r"no\1"),
    (r"不能少于|不得少于|不少于|不低于|至少|起码|最多|至多|不能超过|不得超过|不超过|以上|以内|以下", " "),
))  # fmt: skip
# A part of a sentence that gives what is not, or no longer, so; the pattern's group is that part.
INSTEAD = re.compile(r"\b(?:instead of|rather than|in place of|statt|anstatt|en vez de|en lugar de)\b|而不是|而非|代替")

HAN_NEGATIVE = re.compile(r"不允许|不可以|不能|不得|不要|不可|不许|不准|不应该|不应|不会|不再|不必|不需要|不用|无需|"
                          r"禁止|切勿|请勿|勿|避免|从不|绝不|永不|没有|禁用|停用|关闭|不")  # fmt: skip
HAN_AFFIRMATIVE = re.compile(r"必须|一定要|应该|应当|需要|可以|允许|总是|始终|一律|启用|开启|打开|只能|只|都|要|能|请")
HAN_EXCEPTION = re.compile(r"除了|除外|除非|例外")
HAN_CONDITION = re.compile(r"如果|若|当|时候|的时候|之前|以前|以后|之后")
HAN_STOP = re.compile(r"[的了在是把被和与及也还就由对从到用]")

NUMBERS = _table("""
zero null cero: 0
one once ein eine einer einen einem eins einmal un uno una: 1
two twice zwei zweimal dos: 2
three drei tres: 3
four vier cuatro: 4
five funf cinco: 5
six sechs seis: 6
seven sieben siete: 7
eight acht ocho: 8
nine neun nueve: 9
ten zehn diez: 10
eleven elf: 11
twelve zwolf doce dozen dutzend docena: 12
thirteen dreizehn trece: 13
fourteen vierzehn catorce: 14
fifteen funfzehn quince: 15
sixteen sechzehn: 16
seventeen siebzehn: 17
eighteen achtzehn: 18
nineteen neunzehn: 19
twenty zwanzig veinte: 20
thirty dreissig treinta: 30
forty vierzig cuarenta: 40
fifty funfzig cincuenta: 50
sixty sechzig sesenta: 60
seventy siebzig setenta: 70
eighty achtzig ochenta: 80
ninety neunzig noventa: 90
hundred hundert cien ciento: 100
thousand tausend mil: 1000
million millionen millon millones: 1000000
""")
ARTICLES = words_of("one ein eine einer einen einem un uno una once")
MULTIPLIERS = words_of(
    "hundred hundert cien thousand tausend mil million millionen millon millones dozen dutzend docena"
)

# Units that measure the same thing, each with its size: seconds, and bytes.
TIME: Mapping[str, float] = MappingProxyType({
    unit: size for names, size in (
        ("ms millisecond milliseconds millisekunden milisegundos 毫秒", 0.001),
        ("s sec second seconds sekunde sekunden segundo segundos 秒", 1),
        ("min minute minutes minuten minuto minutos 分钟", 60),
        ("h hr hour hours stunde stunden hora horas 小时", 3600), ("day days tag tage tagen dia dias 天", 86400),
        ("week weeks woche wochen semana semanas 周", 604800),
        ("month months monat monate monaten mes meses 个月", 2629800),
        ("year years jahr jahre jahren ano anos 年", 31557600),
    ) for unit in names.split()
})  # fmt: skip
SIZE: Mapping[str, float] = MappingProxyType({
    unit: size for names, size in (
        ("kb kib kilobyte kilobytes", 2.0**10), ("mb mib megabyte megabytes", 2.0**20),
        ("gb gib gigabyte gigabytes", 2.0**30), ("tb tib terabyte terabytes", 2.0**40),
    ) for unit in names.split()
})  # fmt: skip
PERCENT = words_of("percent % prozent porciento")

WEEKDAYS = _table("""
monday mondays montag montags lunes: 1
tuesday tuesdays dienstag dienstags martes: 2
wednesday wednesdays mittwoch mittwochs miercoles: 3
thursday thursdays donnerstag donnerstags jueves: 4
friday fridays freitag freitags viernes: 5
saturday saturdays samstag samstags sonnabend sabado sabados: 6
sunday sundays sonntag sonntags domingo domingos: 7
""")
MONTHS = _table("""
january januar enero jan: 1
february februar febrero feb: 2
march marz marzo: 3
april abril apr: 4
june juni junio: 6
july juli julio: 7
august agosto aug: 8
september septiembre sept: 9
october oktober octubre oct: 10
november noviembre nov: 11
december dezember diciembre dec: 12
mai mayo: 5
""")
CLOCK = MappingProxyType({"noon": 720, "midday": 720, "midnight": 0, "mittag": 720, "mitternacht": 0, "mediodia": 720,
                          "medianoche": 0})  # fmt: skip

# Verbs of which a thing has one object at a time: what it is made with, kept in, run on.
TOOL_VERBS = words_of("""
written stored kept built deployed formatted drawn hosted tested managed run runs served sent posted generated compiled
installed tracked configured defined rendered linted packaged published made monitored collected encrypted parsed cached
merged hashed signed encoded compressed indexed authenticated validated scheduled printed measured computed calculated
queued based implemented provisioned released shipped logged saved go goes set
geschrieben gespeichert gebaut lauft laufen formatiert getestet verwaltet gezeichnet gehostet abgelegt erstellt
dibuja dibujan escribe escriben guarda guardan ejecuta ejecutan corre corren despliega despliegan prueba prueban
gestiona gestionan almacena almacenan compila compilan publica publican envia envian escrito escrita
""")
TOOL_WORDS = words_of("""
with on in by to as via through using into at mit in auf uber als an con en por a sobre como mediante
""")
OWNER_VERBS: tuple[tuple[str, str], ...] = (
    ("contact", r"(?:is|are) (?:the |our )?(?:contact|person to ask|expert|one to ask)(?: person)? (?:for|of|on|about)|"
                r"ist (?:die |der )?(?:ansprechpartnerin|ansprechpartner|ansprechperson) fur|"
                r"es el contacto (?:para|de)"),
    ("own", r"owns?|(?:is|are) (?:the |our )?(?:owners?|maintainers?) (?:of|for)|maintains?|looks? after|"
            r"(?:is|are) responsible for|(?:is|are) in charge of|takes? care of|"
            r"verantwortet|verantworten|betreut|betreuen|ist (?:verantwortlich|zustandig) fur|"
            r"es responsable de|se encarga de|se ocupa de"),
    ("decide", r"decides? (?:about|on|over)|entscheidet uber|entscheiden uber|deciden? sobre"),
    ("approve", r"approves?|signs? off(?: on)?|genehmigt|genehmigen|aprueban?|autorizan?"),
    ("lead", r"leads?|heads?|leitet|leiten|dirigen?"),
    ("on-call", r"(?:is|are) on (?:call|duty) for"),
)  # fmt: skip
# What is done to a thing, and its opposite; of a thing's own qualities both may be met, in two things.
OPPOSITES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple((words_of(a), words_of(b)) for a, b in (
    ("automatically automatic automated", "manually manual hand"),
    ("include includes included", "exclude excludes excluded"),
    ("accept accepts accepted", "reject rejects rejected"), ("show shows shown display visible", "hide hides hidden"),
    ("keep keeps kept retain preserve", "delete deletes deleted discard drop"), ("ascending", "descending"),
    ("synchronously synchronous sync", "asynchronously asynchronous async"), ("uppercase", "lowercase"),
    ("allow accept", "refuse"), ("before", "after"), ("add", "remove"), ("merge merged", "rebase rebased"),
    ("automatisch", "manuell hand"), ("vor", "nach"), ("automaticamente", "manualmente mano"), ("antes", "despues"),
))  # fmt: skip
# Qualities of which a thing has one, where they are said of it and do not merely pick it out.
_SAID_OF = r"\b(?:is|are|be|stay|stays|remain|remains)(?: (?:always|only|still|now|all|kept))? (?:{})\b"
_WANTED = r"\b(?:prefers?|likes?|wants?|asks? for|expects?|wishes)(?: \w+){{0,2}}? (?:{})\b"
QUALITIES = tuple(
    tuple((words_of(side), re.compile(form.format("|".join(side.split())))) for side in pair)
    for form, pairs in (
        (_SAID_OF, (
            ("public", "private confidential"), ("internal", "external"), ("open", "closed shut"), ("free", "paid"),
            ("encrypted", "unencrypted plain"), ("synchronous", "asynchronous"), ("mutable", "immutable read-only"),
            ("stateless", "stateful"), ("online", "offline"),
        )),
        (_WANTED, (
            ("short brief concise terse", "long detailed verbose thorough"), ("dark", "light bright"),
            ("formal", "informal casual"), ("british", "american"), ("few", "many"), ("early", "late"),
            ("synchronous", "asynchronous"), ("paper printed", "digital"), ("bullet bulleted", "flowing continuous"),
        )),
    )
    for pair in pairs
)  # fmt: skip
PREFERS = re.compile(r"\b(.{2,40}?) (?:over|instead of|rather than|statt|en vez de|en lugar de) (.{2,40})")
# Whoever takes a thing over owns it, leads it, or does what else one does with it.
TAKEOVER = re.compile(r"\A(.+?) (?:has |have )?(?:taken|takes?|took) over ((?:(?! from ).)+)\Z")
HANDED = re.compile(r"\b(?:handed|hands?|passed|passes|gave|gives) (.+?) (?:over|on) to (.+)")
# Not of a kind of things: a comment belongs to a post, and to its writer.
BELONGS = re.compile(r"\A(?!(?:an?|each|every|one) )(.+?) belongs? to (?!(?:an?|each|every|one|some) )(.+)")
# What holds beside something else excludes nothing.
BESIDE = re.compile(r"\b(?:too|also|as well|both|additionally|besides|auch|ebenfalls|tambien|ademas)\b|也|还")
# A number that was measured is no rule.
MEASURED = re.compile(r"\b(?:on average|average|median|so far|durchschnitt|durchschnittlich|promedio|de media)\b|平均")
ASK = re.compile(r"\Aask (?!(?:in|at|for|about|if|when|whether|before|on|again|first|only)\b)"
                 r"([^\W\d_][\w-]*(?: [\w-]+)?) (?:about|on|when it comes to) (.+)")  # fmt: skip
OWNER_NOUN = re.compile(r"\A(?:the |our )?(?:owner|lead|contact|maintainer|head) (?:of|for) (.+?) is (.+)")
DEFAULT = re.compile(r"\A(?:the |our )?(default (?:\w+ ){0,3}?\w+(?: (?:of|for) .+?)?) is (.+)")
# What has one value at a time, which no mere quality is.
ROLE = re.compile(r"\A(?:the |our )?((?:[\w-]+ ){0,3}?(?:level|region|time ?zone|currency|licen[sc]e|locale|encoding|"
                  r"charset|package manager|compression)(?: (?:of|for|in) .+?)?) is (\w[\w.+#-]*)\Z")  # fmt: skip
OWNED_BY = re.compile(r"\b(?:is|are) (owned|maintained|approved|led|decided) by\b")
OWNED = MappingProxyType({
    "owned": "own", "maintained": "own", "approved": "approve", "led": "lead", "decided": "decide",
})  # fmt: skip
# Spanish puts the object first: `los permisos los concede la oficina`.
OWNER_LAST = re.compile(r"\b(?:los|las|lo|la) (concede|aprueba|decide|autoriza|lleva|gestiona)n?\b")
HAN_OWNER = re.compile(r"(.{2,}?)(?:现在)?由(.{1,12}?)(负责|决定|批准|管理|维护|审批|接手)")
OTHER_NAMES = (
    frozenset(("kubernetes", "k8s")), frozenset(("postgres", "postgresql", "pg")), frozenset(("js", "javascript")),
    frozenset(("ts", "typescript")), frozenset(("golang", "go")), frozenset(("py", "python")),
    frozenset(("mongo", "mongodb")), frozenset(("vscode", "code")),
)  # fmt: skip
