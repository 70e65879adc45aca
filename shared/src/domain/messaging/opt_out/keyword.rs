//! Keywords, alone or as a sentence of their own, and words that may accompany one without changing it.

use super::grammar::{JOB_WORDS, find_refusal};
use super::normalization::{Sentence, edit_distance};
use super::{TextClassification, TextIntent};

/// 47 CFR 64.1200(a)(10), the provider's list, and the Spanish of both.
const KEYWORDS: [&str; 13] = [
    "stop",
    "stopall",
    "unsubscribe",
    "end",
    "quit",
    "revoke",
    "optout",
    "cancel",
    "alto",
    "parar",
    "baja",
    "cancelar",
    "arret",
];
/// Keywords that are unambiguous beside any other word.
pub(super) const UNAMBIGUOUS_KEYWORDS: [&str; 4] = ["stop", "stopall", "unsubscribe", "optout"];
const NO_MORE: &str = "no mas";
/// Keywords used more often about an appointment: with a word beside them they are ambiguous.
const OF_WORK: [&str; 2] = ["cancel", "cancelar"];

/// Phrases as plain as a keyword when only courtesies accompany them.
const CERTAIN: [&str; 6] =
    ["remove me", "no more texts", "no more messages", "leave me alone", "unsubscribe me", "no mas mensajes"];

/// Words that do not change a keyword beside them.
pub(super) const COURTESIES: &str = "please thanks you gracias muchas por favor sir maam mr mrs ms miss senor senora amigo now right \
    immediately immediatly instantly asap already kindly ahora inmediatamente hi hello hey hola buenas buenos tardes dias noches \
    just really seriously omg wtf lol jeez sorry dude bro man guys fucking fuck fuckin hell shit pronto ya all \
    today forever stopsign the word so very much again or and whatever spam scam spammer spammers scammer scammers creep creeps idiot idiots \
    jerk jerks asshole assholes loser losers moron morons stupid";
/// Answers: "no, stop" is still a stop, "yes, cancel" is an answer.
const ANSWERS: &str = "yes no ok okay k yeah yep nope well and si sure";

/// Whole messages that any reader takes for an opt-out, but that are not certainly named by a keyword.
const PAUSES: &str = "stop it|stop this|stop that|stop these|stop them|stop everything|stop me|stop already|can you stop|\
    could you stop|would you stop|will you stop|can you not|remove|removed|delete|delete me|exit|unsub|dnc|dnd|desist|cease|halt|\
    discontinue|spam|scam|scammer|scammers|spammer|spammers|wrong|block|block me|block my number|block this number|ban me|blacklist me|take me off|get me off|blocked|blocked and reported|blocking|reporting|blocking and reporting|reporting and blocking|block and report|report and block|reporting this|reporting you|alto a esto|alto con esto|alto a todo|bug off|get bent|end text|end txts|eff off|stfu|gtfo|reported|reported and blocked|reported blocked|cease and desist|blocking you|no more|enough|enough is enough|thats enough|\
    knock it off|cut it out|stopsign|nomas|mas no|no mas ya|ya no mas|no mas por hoy|ya no|basta|ya basta|pare|paren|\
    para|deten|detente|detener|detengase|detenganse|salir|borrar|borrame|borrenme|eliminar|eliminame|eliminenme|quitar|\
    quitame|quitenme|remover|terminar|finalizar|suspender|desuscribir|desuscribirme|desuscribirse|desinscribir|\
    desinscribirme|desubscribir|anular|anular suscripcion|cancela|cancele|cancelen|cancela todo|cancelar todo|\
    no molestar|no moleste|no molesten|dejar de enviar|no enviar|no envien|no enviar mas|no quiero|no quiero nada|no quiero mas|\
    no mande nada|no manden nada|do not disturb|dont disturb|dont contact|dont text|dont message|no contact|no text|no texts|no messages|\
    no sms|no spam|no texting|no soliciting|no solicitation|no solicitors|no marketing|end it|end this|quit it|quit this|\
    quit that|i quit|im out|i want out|let me out|get me out|get out|me out|out|i said stop|i say stop|make it stop|make this stop|make them stop|\
    optme out|cancel everything|cancel subscription|cancel all|cancel messages|cancel texts|terminate|remove number|\
    lose number|delete number|wrong number|wrong person|wrong guy|mistaken number|numero equivocado|equivocado|equivocada|persona equivocada|\
    not interested|im not interested|not interested anymore|no interest|no longer interested|im no longer interested|were not interested|\
    we are not interested|never interested|not interested at all|i am not interested|no estoy interesado|no estoy interesada|no me interesa|\
    no me interesa nada|ya no me interesa|no interesado|no interesada|no me interesan|stop stop stop|please|go away|get lost|fuck off|f off|piss off|buzz off|\
    back off|screw off|bugger off|shut up|go to hell|kick rocks|scram|fuck you|f you|get a life|leave|die|vayanse|vayanse al diablo|vayase|vayase al diablo|vayanse a la chingada|vete a la chingada|chinga tu madre|chinguen a su madre|bloqueado|bloqueada|bloqueados|bloqueo|reportado|reportados|los bloqueo|te bloqueo|los reporto|largate|larguese|\
    larguense|vete|vete al diablo|dejame|dejeme|dejenme|callate|not wanted|unwanted|harassment|this is harassment|\
    arretez|arreter|desabonner|se desabonner|me desabonner|desabonnez moi|desinscription|desinscrire|cessez|retirer|retirez moi|\
    laissez moi tranquille|foutez moi la paix|ca suffit|assez|veuillez cesser|mauvais numero|sair|cton|停止|退订|退訂|停止接收|\
    不要再发短信了|dung lai|smetti|parem|stopp|dnt|shove it|drop dead|go bother someone else|junk|sign me off|unregister me|\
    off|off list|off please|could you quit|it has to stop|give it a rest|removal requested|leave chat|leave group|unenroll me|\
    no los quiero|goodbye forever|away with you|count me out|dont want it|ya parenle|ya parele|parenle|opt put|op out|opt oit|\
    opt our|marked as junk|you text too much|enough texts|enough messages|deactivate|unenroll|delist me|unlist me|please forget i exist|\
    forget i exist|stop2end|unfollow|lay off|time to stop|ok enough|stop 4 ever|sign me out of this|\
    no reaching out|no reaching out please|straight to spam|no one asked you|nobody asked you|no one asked|stop 2 end|stop 2end|last warning|\
    final warning|go pound sand|pound sand|beat it|take a hike|go kick rocks|im done with this|im done with you|nothing more|unscribe|\
    no means no|stay away from me|stay away|bad bot|bad bot go away|merci darreter|fin des messages|lachez moi|last chance to stop";

/// Separate sentences that mean us, beside others that are not about the work.
const ENOUGH: [&str; 16] = [
    "enough",
    "enough already",
    "no more",
    "no more please",
    "basta",
    "ya basta",
    "remove",
    "remove me",
    "delete",
    "stop it",
    "please remove",
    "quit it",
    "ya no",
    "pare ya",
    "deleted",
    "blocked",
];
/// After "stop" and a comma these begin the reason, which may be about the work.
const EXPLAINS: [&str; 12] =
    ["already", "i", "im", "ive", "id", "not", "wrong", "who", "whos", "no", "nobody", "hired"];

/// Typing slips that edit distance cannot tell from words; below, real words one letter from a keyword.
pub(super) const MISSPELLINGS: &str = "qiut quti qit quitt edn ened ednd can cle cancle cancell cansel cancal canel cacel alot0 prar paarar bja bajja dtop atop sto \
    stpop shtop storp sytop sttop stiop";
const REAL_WORDS: &str = "shop step top stops slop stomp strop stow stock sop stoop stopped stoop stoup cancer cancels canceled \
    cancelled revoked evoke revokes pagar parar tarar cancelan cancelas parir optouts";

/// Drops sentences that only wish a good day, and the signature of the phone.
pub(super) fn strip_courtesies(sentences: Vec<Sentence>) -> Vec<Sentence> {
    const OPENINGS: [&str; 12] = [
        " sent from my ",
        " sent via ",
        " get outlook for ",
        " enviado desde ",
        " have a nice ",
        " have a good ",
        " have a great ",
        " have a blessed ",
        " god bless ",
        " que tenga buen ",
        " que tenga un buen ",
        " dios ",
    ];
    let kept: Vec<_> = sentences
        .iter()
        .filter(|s| !OPENINGS.iter().any(|open| s.text.starts_with(open)))
        .map(|s| match s.text.find(" sent from my ") {
            Some(end) => Sentence { text: format!("{} ", &s.text[..end]), question: s.question },
            None => s.clone(),
        })
        .collect();
    if kept.is_empty() { sentences } else { kept }
}

/// The whole message is a keyword, apart from courtesies and a typing slip.
pub(super) fn classify_lone_keyword(sentences: &[Sentence]) -> Option<TextClassification> {
    let is_question = sentences.iter().all(|sentence| sentence.question);
    let words: Vec<&str> = sentences.iter().flat_map(Sentence::words).collect();
    let joined = words.concat();
    if let [word] = words[..] {
        match word {
            "start" | "unstop" | "yes" => {
                return Some(TextClassification::matched_by(TextIntent::Start, "keyword", word));
            }
            "help" | "info" | "ayuda" => {
                return Some(TextClassification::matched_by(TextIntent::Help, "keyword", word));
            }
            _ => {}
        }
    }
    if words.len() <= 6 && KEYWORDS.contains(&joined.as_str()) {
        return Some(TextClassification::matched_by(TextIntent::Stop, "keyword", &words.join(" ")));
    }
    match_keyword_with_courtesies(&words).or_else(|| match_misspelled_keyword(&words, is_question))
}

fn match_keyword_with_courtesies(words: &[&str]) -> Option<TextClassification> {
    let text = words.join(" ");
    let answered = words.iter().any(|word| list_contains(ANSWERS, word));
    let mut bare: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !list_contains(COURTESIES, word) && !list_contains(ANSWERS, word))
        .collect();
    if text.contains("no mas") {
        // Two words that are one keyword; "no" alone was taken for an answer.
        bare.iter_mut().filter(|word| **word == "mas").for_each(|word| *word = NO_MORE);
    }
    if bare.is_empty() || !bare.iter().all(|word| KEYWORDS.contains(word) || *word == NO_MORE) {
        return None;
    }
    if bare.contains(&NO_MORE) {
        return Some(TextClassification::matched_by(TextIntent::Stop, "keyword", &text));
    }
    if words.iter().any(|word| matches!(*word, "lol" | "haha" | "jaja")) {
        return Some(TextClassification::matched_by(TextIntent::Pause, "keyword, perhaps in jest", &text));
    }
    let plain = bare.iter().any(|word| UNAMBIGUOUS_KEYWORDS.contains(word));
    let of_work = bare.iter().all(|word| OF_WORK.contains(word));
    if of_work && words.iter().any(|word| matches!(*word, "today" | "hoy" | "again")) {
        return None;
    }
    match (plain, of_work, answered) {
        // "Yes, cancel" and "ok, quit" answer a question that we have not read.
        (false, _, true) => None,
        (false, true, false) if words.len() > bare.len() => {
            Some(TextClassification::matched_by(TextIntent::Pause, "keyword, politely", &text))
        }
        _ => Some(TextClassification::matched_by(TextIntent::Stop, "keyword", &text)),
    }
}

fn match_misspelled_keyword(words: &[&str], is_question: bool) -> Option<TextClassification> {
    let mut words = words.to_vec();
    words.dedup();
    let bare: Vec<&str> = words.iter().copied().filter(|word| !list_contains(COURTESIES, word)).collect();
    let (all, text) = (words.join(" "), bare.join(" "));
    if CERTAIN.contains(&text.as_str()) || CERTAIN.contains(&all.as_str()) {
        return Some(TextClassification::matched_by(TextIntent::Stop, "the whole message", &all));
    }
    // "Spam?" asks who we are; "could you stop?" asks for silence.
    if is_question && !words.first().is_some_and(|word| matches!(*word, "can" | "could" | "would" | "will")) {
        return None;
    }
    if PAUSES.split('|').any(|phrase| phrase == all || phrase == text) && all != "please" {
        return Some(TextClassification::matched_by(TextIntent::Pause, "the whole message", &all));
    }
    let [word] = bare[..] else { return None };
    if list_contains(MISSPELLINGS, word) || is_misspelled_keyword(word) {
        return Some(TextClassification::matched_by(TextIntent::Pause, "nearly a keyword", word));
    }
    None
}

pub(super) fn is_misspelled_keyword(word: &str) -> bool {
    if list_contains(REAL_WORDS, word) || word.len() < 3 {
        return false;
    }
    let mut once = String::with_capacity(word.len());
    word.chars().for_each(|c| {
        if !once.ends_with(c) {
            once.push(c);
        }
    });
    let near = |word: &str, keyword: &str| !list_contains(REAL_WORDS, word) && edit_distance(word, keyword) == 1;
    ["stop", "stopall", "cancel", "revoke", "optout", "cancelar", "unsubscribe"]
        .iter()
        .any(|keyword| word.starts_with(&keyword[..1]) && (near(word, keyword) || near(&once, keyword)))
}

/// "Stop. I never asked for this", "Not interested, stop": a keyword set apart from words that say something else.
pub(super) fn find_keyword_sentence(sentences: &[Sentence]) -> Option<TextClassification> {
    let parts: Vec<Vec<&str>> = sentences.iter().map(|s| s.words().collect()).collect();
    if parts.len() > 1 {
        for (i, part) in parts.iter().enumerate() {
            let others: Vec<Sentence> =
                sentences.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, s)| s.clone()).collect();
            if let Some(read) = match_keyword_sentence(part, sentences[i].question, &others) {
                return Some(read);
            }
        }
    }
    find_keyword_between_commas(sentences)
}

fn match_keyword_sentence(words: &[&str], question: bool, others: &[Sentence]) -> Option<TextClassification> {
    let text = words.join(" ");
    let about_work = others.iter().any(|s| JOB_WORDS.is_match(&s.text));
    if !question && !about_work && ENOUGH.contains(&text.as_str()) {
        return Some(TextClassification::matched_by(TextIntent::Pause, "a sentence of its own", &text));
    }
    let found = match_keyword_with_courtesies(words)?;
    if question {
        return None;
    }
    let plain = words.iter().any(|word| UNAMBIGUOUS_KEYWORDS.contains(word));
    if plain && find_refusal(others).is_some() {
        return Some(TextClassification::matched_by(TextIntent::Stop, "keyword and a wish", &text));
    }
    if !plain && about_work {
        return None;
    }
    found.matched.map(|_| TextClassification::matched_by(TextIntent::Pause, "keyword as a sentence", &text))
}

/// First or last between commas, when nothing in the message is about the work.
fn find_keyword_between_commas(sentences: &[Sentence]) -> Option<TextClassification> {
    for sentence in sentences.iter().filter(|s| s.text.contains(',')) {
        let parts: Vec<Vec<&str>> = sentence.text.split(" ,").map(|p| p.split_whitespace().collect()).collect();
        let refusal =
            parts[0].first().is_some_and(|word| matches!(*word, "no" | "ya" | "not" | "dont" | "im" | "nope"));
        let goes_on = parts.get(1).and_then(|part| part.first());
        if goes_on.is_some_and(|word| matches!(*word, "wait" | "hold" | "let" | "come" | "call")) {
            continue;
        }
        let explained = goes_on.is_some_and(|word| EXPLAINS.contains(word));
        for (i, part) in [parts.first()?, parts.last()?].into_iter().enumerate() {
            let bare: Vec<&str> = part.iter().copied().filter(|word| !list_contains(COURTESIES, word)).collect();
            let is_plain = !bare.is_empty() && bare.iter().all(|word| UNAMBIGUOUS_KEYWORDS.contains(word));
            let is_other =
                refusal && bare.len() == 1 && matches!(bare[0], "alto" | "parar" | "basta" | "quit" | "pare" | "paren");
            let about_work = sentences.iter().any(|s| JOB_WORDS.is_match(&s.text)) && !(i == 0 && explained);
            let is_taken_off = i == 1
                && matches!(
                    bare[..],
                    ["remove" | "delete" | "unsub" | "removed"] | ["remove" | "delete" | "unlist", "me"]
                );
            if (is_plain || is_other || is_taken_off) && !about_work {
                return Some(TextClassification::matched_by(TextIntent::Pause, "keyword set apart", &sentence.text));
            }
        }
    }
    None
}

pub(super) fn list_contains(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}
