//! Thresholds of the statistical part (`classifier`).
//!
//! The model knows how refusals are worded, and less of what they are about: "I can be texted" is worded much like "I
//! can't be texted". So the threshold is higher where the text does not name what it refuses, and much higher where the
//! writer invites texts.

use super::grammar::{OptOutRule, RULE, welcomes_texts};
use super::{classifier::word_class, keyword_position::is_activity, normalization::Sentence};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OptOutEvidence {
    /// A word for contacting people, and one that ends or denies.
    Named,
    /// A word of ending or not wanting that points at our texts ("I want this stopped"), and nothing about the work.
    Pointed,
    /// Neither.
    Missing,
    /// The writer invites texts or calls, or speaks of some that did not come.
    Welcomes,
}

/// Means of contact, beside the learned class of texts.
const CONTACT: &str = "list lists number numbers phone phones cell database group lista numero telefono celular liste portable call \
    calls calling called";
/// Words of removal that mean nothing else beside a word of contact. Most are also said of old tanks.
const TAKES_OFF: &str = "remove removed removal removing delete deleted deleting erase purge scrub wipe forget lose block blocked \
    blocking ban blacklist blocklist suppress yank uncheck tear bin borrar borre borren borrenme borreme quitenme quiteme eliminen eliminenme elimine saquenme saqueme \
    enlevez retirez supprimez effacez enlever retirer";
/// Words of dislike for what was sent.
const DISLIKES: &str = "unwanted unsolicited unwelcome shove crazy break too bye else pause annoying nerves junk tired sick hate plenty welcome \
    regret silence over";
/// Objects of a word of ending where it means us.
const POINTS: &str = "this these those it them all me us everything you your yours from request";
/// Negations before a word of ending: "I can't get it to stop".
const DENIES: &str = "cant wont doesnt didnt dont not never isnt wouldnt couldnt shouldnt";
/// Beside a negation, verbs for our texts.
const GETS: &str = "get gets getting receive receiving";
/// Longest text, in words, that points without naming.
const MOST_POINTED: usize = 10;

pub(super) fn collect_evidence(sentences: &[Sentence]) -> OptOutEvidence {
    if welcomes_texts(sentences) {
        return OptOutEvidence::Welcomes;
    }
    let words: Vec<&str> = sentences.iter().flat_map(Sentence::words).collect();
    let any = |is: &dyn Fn(&str) -> bool| words.iter().any(|word| is(word));
    let is_in = |list: &str, word: &str| list.split_whitespace().any(|one| one == word);
    let ends = |word: &str| word_class(word) == "END" || is_in(TAKES_OFF, word);
    let refuses =
        |word: &str| ends(word) || matches!(word_class(word), "NO" | "WRONG" | "CURSE") || is_in(DISLIKES, word);
    let reaches = |word: &str| word_class(word) == "TEXT" || is_in(CONTACT, word);
    if any(&reaches) && any(&refuses) {
        return OptOutEvidence::Named;
    }
    let is_ended = any(&ends)
        && !any(&|word: &str| is_in(DENIES, word))
        && !words.windows(2).any(|pair| word_class(pair[0]) == "END" && is_activity(pair[1]));
    let is_unwanted = any(&|word: &str| word_class(word) == "NO" && !matches!(word, "cant" | "couldnt" | "wont"))
        && any(&|word: &str| word_class(word) == "WANT" || is_in(GETS, word));
    let is_other = any(&|word: &str| word_class(word) == "WORK") || words.len() > MOST_POINTED;
    let points = any(&|word: &str| is_in(POINTS, word)) && !is_other;
    if points && (is_ended || is_unwanted) { OptOutEvidence::Pointed } else { OptOutEvidence::Missing }
}

/// An invitation with one of these is a threat.
const THREATS: &str =
    r"\b(?:lawyer|attorney|sue|suing|fcc|ftc|police|cops|report|reported|reporting|harass\w*|fuck\w*|scam\w*)\b";

/// The opposite of a refusal, or words about messages that did not come.
pub(super) const WELCOMES: &[OptOutRule] = &[
    OptOutRule {
        name: "says that we may",
        find: r"\b(?:you|yall|they|he|she|anyone|anybody|someone|tech|guys?|crew|office) (?:can|may|could|should|are welcome to|are free to)(?: always| also| just| still| even| now| please| either| then| instead)* (?:text|call|message|reach|contact|write|phone|ring|reply|respond)(?: (?:or|and) (?:text|call|message|email|reach|write))*(?: to| back| out)* (?:me|us|here|this|my (?:cell|phone|number|mobile|wife|husband|work)|at|on|anytime|him|her|them)\b",
        after: r" (?:again|one more|once more)\b",
        message: THREATS,
        ..RULE
    },
    OptOutRule {
        name: "says that we may",
        find: r"\b(?:feel free|go ahead|(?:its|is|be) (?:ok|okay|fine|best|better|easier|easiest)|(?:glad|happy|prefer|rather|like|want|love|need) (?:for )?(?:you|someone|somebody|him|her|them|your \w+)) (?:to |and )?(?:text|call|message|reach|contact|write)\b",
        before: r"\b(?:dont|didnt|not|never|wouldnt|isnt|no)(?: \w+)? ",
        message: THREATS,
        ..RULE
    },
    OptOutRule {
        name: "can be reached",
        find: r"\b(?:can|may|could|should|like to|want to|prefer to|happy to|ok to|able to|rather) (?:i |we |they |he |she )?be (?:\w+ )?(?:texted|called|reached|contacted|messaged|written to)\b",
        before: r"\b(?:dont|didnt|not|never|wouldnt|no longer)(?: \w+)? ",
        message: THREATS,
        ..RULE
    },
    OptOutRule {
        name: "takes texts",
        find: r"\b(?:number|phone|cell|line|mobile|one|it|landline|i|we)(?: can| does| do| will| also| now| still| only| always)* (?:take|takes|get|gets|receive|receives|accept|accepts|has|have|read|see)(?: my| your| all| the)* (?:texts?|messages?|sms|calls)(?: (?:again|now|too|fine|ok|on|at|in|here|also|just|and|or|texts|calls|messages|this|that|my|the|number|phone|cell|one))* $",
        before: r"\b(?:when|if|every time|why|dont|not|never) (?:\w+ )?",
        message: THREATS,
        ..RULE
    },
    OptOutRule {
        name: "likes texts best",
        find: r"\b(?:texts?|texting|messages?|messaging|calls?|calling|phone|number)(?: me| us)?(?: is| are| always| also| just| totally| all| still)* (?:works?|better|best|fine|ok|okay|good|great|easier|easiest|welcome|preferred)\b",
        before: r"\b(?:no|stop|not|without|less|fewer) (?:\w+ )?",
        after: r" (?:if you (?:stop|quit|dont)|without|stopped|removed)\b",
        ..RULE
    },
    OptOutRule {
        name: "names the number to use",
        find: r"\buse (?:this|that|the other|my (?:cell|other|new|wifes|husbands|work))(?: \w+)? ?(?:number|phone|cell|one|line|mobile)\b|\b(?:number|phone|one|cell) (?:is )?for (?:texts|texting|calls|messages)\b",
        before: r"\b(?:dont|never|not|stop|quit|to|isnt|no)(?: ever| please| you)? (?:\w+ )?",
        ..RULE
    },
    OptOutRule {
        name: "asks to be reached",
        find: r"(?:^|,|\bplease|\bjust|\binstead|\bthen|\bso|\bbut|\byes|\bsure|\bcan you|\bcould you|\bwill you|\bhave (?:him|her|them|someone|somebody)|\btell (?:\w+ ){1,2}to)(?: please| just| can| then| only| also| or| and| yes| ok)* (?:text|call|message|write|phone|ring|reach|contact|reply|respond|answer)(?: (?:or|and|,) (?:text|call|message|email|leave))*(?: to| at| on| back| out)* (?:me|us|here|back|this (?:number|phone|cell|one|line|mobile)|the (?:number|other|office)|my (?:cell|phone|number|mobile|wife|husband|other|new)|him|her)\b",
        before: r"\b(?:dont|never|not|stop|quit) ",
        after: r" (?:\w+ ){0,2}?(?:again|anymore|one more|once more|ever|and (?:ill|i will|im|see)|or (?:else|ill)|instead of (?:texting|text|these)|rather than (?:texting|text))\b",
        message: THREATS,
        ..RULE
    },
    OptOutRule {
        name: "asks to be left word",
        find: r"\b(?:leave|left)(?: me| us| him| her| with \w+)? (?:a|an|your|the|this) (?:message|voicemail|note|number|text|name|vm)\b|\b(?:message|messages|text|texts|number|call|calls) please $",
        before: r"\b(?:dont|never|not|stop|quit|no|no more|end|these|the|your|all|my|this|delete|remove|lose|block|last|final)(?: \w+){0,2} ",
        ..RULE
    },
    OptOutRule {
        name: "asks to be kept posted",
        find: r"(?:^|,|\bplease|\band|\bbut|\bjust|\bso|\bstill|\byes)(?: please| do| just)* (?:keep|continue|start|resume)(?: on)? (?:texting|sending|messaging|updating|contacting|calling|(?:me|us) (?:posted|updated|informed|in the loop|on))\b|\bstay on (?:the|your|this|my) (?:\w+ )?(?:list|phone|texts)\b",
        before: r"\b(?:dont|never|not|why|if|and)(?: \w+){0,2} ",
        message: THREATS,
        ..RULE
    },
    OptOutRule {
        name: "asks to be put on the list",
        find: r"\b(?:add|put|keep|sign|include) (?:me|us|my (?:number|name|cell|wife|husband)|this number|him|her)(?: back| up| down| also| too)? (?:to|on|in|for) (?:your|the|this|my|a|any)\b",
        before: r"\b(?:dont|never|not|you|who|they|did|didnt|stop|quit|wrong)(?: to| ever)? ",
        after: r".*\b(?:no|not|dont|dnc|never|blocked|block|stop)\b",
        message: THREATS,
        ..RULE
    },
    OptOutRule {
        name: "wants the messages",
        find: r"\b(?:i|we|id)(?: do| still| really| actually| also| only| just| would)* (?:want|like|love|enjoy|need|appreciate|prefer|dont mind|wouldnt mind)(?: to)?(?: keep| stay| get| receive| have| be| getting| receiving| being)*(?: the| your| my| these| all| on| a| some| by)* (?:texts?|messages|updates|reminders|notifications|list|texting|alerts|texted|calls)\b",
        after: r" (?:\w+ ){0,2}?(?:stop|stopped|end|ended|off|gone|cease|turned|not|removed|deleted|no|less|fewer)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks not to be taken off",
        find: r"\b(?:dont|never|not|didnt|no quiero)(?: you| please| ever| me| want to| mean to| need to| have to| wish to| trying to)* (?:unsubscribe|unsubscribed|stop|stopping|stopped|remove|delete|take (?:me|us|my \w+|this number) off|optout|cancel|block|drop me|forget|cancelar|quit)\b",
        before: r"\b(?:you|yall|u|they|these|it|this|that|why|if|guys|people|texts|messages|still|or|will|did|do)(?: \w+)? ",
        after: r" (?:texting|messaging|contacting|calling me|bothering) (?:me|us)? ?(?:ill|i will|im)\b",
        message: THREATS,
        ..RULE
    },
    OptOutRule {
        name: "got no message",
        find: r"\b(?:didnt|never|havent|hasnt|dont|cant|couldnt)(?: even| actually| ever| yet| seem to| still)* (?:get|got|gotten|receive|received|see|seen|find|open|read)(?: any| a| the| your| my| that| any of)* (?:texts?|messages?|calls?|number|list|pictures|link|code|confirmation|update|email|reply|reminder)\b|\b(?:have|ive|got|see|had|are|is|were|was|came)(?: still)? no (?:more )?(?:texts?|messages?|calls?|missed calls?|number)\b|^ no (?:texts?|messages?|calls?) (?:came|yet|today|so far|from (?:him|her|the))\b|\b(?:nobody|no one|noone)(?: has| ever| even| has ever)* (?:contacted|called|texted|messaged|answered|answers|replied|reached|responded|is answering|picks|calls|texts)\b|\bno (?:he )?recibi\w* (?:\w+ )?(?:mensajes?|textos?|llamadas?)\b",
        before: r"\b(?:hope|wish|better|make sure|so)(?: i| we)? ",
        message: r"\b(?:remove|unsubscribe|take me|stop|delete)\b",
        ..RULE
    },
    OptOutRule {
        name: "needs no answer",
        find: r"\bno (?:need|reason|rush|hurry) to (?:(?:reply|respond|answer)(?: (?:to|back|now|today|me|this|that))* (?:$|,|if|until|unless)|(?:call|text|write|phone|message)(?: me| us)? (?:back|first|ahead|before|when|if|unless|until|today|just)\b)",
        ..RULE
    },
    OptOutRule {
        name: "speaks of somebody else",
        find: r"\b(?:dont|never|stop|quit)(?: please| ever| you)* (?:contact|text|call|message|email|bother|write|contacting|texting|calling)(?: to)? (?:him|her|them|(?:my|the|his|our|their) (?:ex|husband|wife|tenants?|renters?|landlord|hoa|boss|neighbou?rs?|office|insurance|mom|mother|dad|father|son|daughter|kids|city|seller|buyer|owner|agent|realtor|parents|manager|(?:old|other|previous|former) \w+))\b",
        message: r"\b(?:list|anymore|again|number)\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to be reached, in Spanish",
        find: r"\b(?:(?:me|nos) (?:pueden?|puedes|podria|podrian) (?:escribir|llamar|textear|mandar|contactar|marcar)|(?:pueden?|puedes) (?:escribirme|llamarme|mandarme|contactarme|textearme)|escribame|escribanme|escribeme|llameme|llamenme|llamame|mandeme|mandenme|mandame|texteeme|contacteme|contactenme|aviseme|avisenme|avisame|deje[ns]?(?:me)? (?:un |su )?(?:mensaje|recado|numero))\b",
        before: r"\b(?:no|nunca|jamas|ya no)(?: me)? ",
        ..RULE
    },
    OptOutRule {
        name: "asks to be reached, in French",
        find: r"\b(?:(?:vous pouvez|tu peux|pouvez vous)(?: me| nous)? (?:ecrire|texter|appeler|contacter|mappeler|rejoindre|joindre)|(?:ecrivez|textez|appelez|contactez|rappelez|texte|appelle) (?:moi|nous))\b",
        before: r"\b(?:ne|n|pas|cessez|plus|arretez) (?:\w+ )?",
        after: r" (?:plus|pas|jamais)\b",
        ..RULE
    },
];
