//! What the phrases of the corpus teach: words, and pairs of words by what they do in a sentence, each with a weight.
//!
//! The rules of `grammar` know how a refusal is built; this knows how refusals and ordinary texts are worded. It is a
//! linear model (logistic regression). `training` learns it from the corpus, always to the same weights; the program
//! ships the weights. What it hears is never certain: it pauses, and a person decides.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    Read, Reading,
    grammar::{is_echo, quotes_our_own_notice},
    normal::Sentence,
    weighed::{Evidence, evidence},
};

/// The bias and the weights, each a little-endian `f32`. `make opt-out-model` writes it anew from the corpus.
const SHIPPED: &[u8] = include_bytes!("learned/model.bin");

const SLOTS: usize = 1 << 15;
/// The least that pauses, in log-odds, where the text names what is refused.
const LEAST: f32 = 0.5;
/// The least where it only points at it.
const SURER: f32 = 1.0;
/// Of the words that decided, the owner is shown this much.
const LONGEST_REASON: usize = 120;
/// The longest sentence that is read, in words.
const MOST_WORDS: usize = 60;

#[cfg(test)]
pub(super) mod training;

static MODEL: LazyLock<Model> = LazyLock::new(Model::shipped);

struct Model {
    weights: Vec<f32>,
    bias: f32,
}

/// Reads now what is otherwise read at the first use.
pub(super) fn prepare() {
    LazyLock::force(&MODEL);
}

/// How surely the sentences, together or one of them, are a refusal; positive is more likely than not.
pub(super) fn score(sentences: &[Sentence]) -> f32 {
    let whole = MODEL.of(&features(sentences));
    let parts = sentences.iter().filter(|_| sentences.len() > 1);
    // A sentence alone has lost what stands around it.
    parts.map(|one| MODEL.of(&features(std::slice::from_ref(one))) - 0.8).fold(whole, f32::max)
}

/// A refusal by its wording, where no rule has found one.
pub(super) fn wish(sentences: &[Sentence]) -> Option<Read> {
    let least = match evidence(sentences) {
        Evidence::Named => LEAST,
        Evidence::Pointed => SURER,
        Evidence::Missing => return None,
    };
    // "Unsubscribe? No, I like them": what is repeated as a question is answered by the rest.
    let said: Vec<Sentence> = sentences.iter().filter(|s| sentences.len() == 1 || !is_echo(s)).cloned().collect();
    if said.is_empty() || score(&said) < least {
        return None;
    }
    let words: String = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    (!quotes_our_own_notice(&words)).then(|| {
        Read::because(Reading::Pause, "is worded like a refusal", words.get(..LONGEST_REASON).unwrap_or(&words))
    })
}

/// Whether a word of the work stands in it.
pub(super) fn is_about_work(sentences: &[Sentence]) -> bool {
    sentences.iter().flat_map(Sentence::words).any(|word| class(word) == "WORK")
}

impl Model {
    fn shipped() -> Self {
        let mut numbers = SHIPPED.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        Self { bias: numbers.next().unwrap_or_default(), weights: numbers.collect() }
    }

    fn of(&self, features: &[usize]) -> f32 {
        self.bias + features.iter().map(|&slot| self.weights[slot]).sum::<f32>() * scale(features)
    }
}

/// Long texts have many features, each of which says less.
fn scale(features: &[usize]) -> f32 {
    let count = u16::try_from(features.len()).unwrap_or(u16::MAX);
    2.0 / f32::from(count.max(4)).sqrt()
}

fn features(sentences: &[Sentence]) -> Vec<usize> {
    let mut found = Vec::with_capacity(64);
    let mut count = 0;
    for sentence in sentences {
        let words: Vec<&str> = sentence.words().take(MOST_WORDS - count).collect();
        count += words.len();
        of_sentence(&words, sentence.question, &mut found);
        if count >= MOST_WORDS {
            break;
        }
    }
    found.push(slot(&["length", LENGTHS[count.min(LENGTHS.len() - 1)]]));
    found.sort_unstable();
    found.dedup();
    found
}

/// By how many words: one, two, three, up to six, up to twelve, more.
const LENGTHS: [&str; 14] = ["0", "1", "2", "3", "4", "4", "4", "5", "5", "5", "5", "5", "5", "6"];

fn of_sentence(words: &[&str], is_question: bool, found: &mut Vec<usize>) {
    let classes: Vec<&str> = words.iter().map(|word| class(word)).collect();
    let mark = if is_question { "?" } else { "." };
    for (n, word) in words.iter().enumerate() {
        let stem = stem(word);
        found.push(slot(&["w", word]));
        found.push(slot(&["s", stem]));
        found.push(slot(&["c", classes[n]]));
        if n == 0 {
            found.push(slot(&["first", stem]));
            found.push(slot(&["first class", classes[n], mark]));
        }
        if n + 1 == words.len() {
            found.push(slot(&["last", stem]));
            found.push(slot(&["last class", classes[n], mark]));
        }
        let next = words.get(n + 1).copied().unwrap_or("</s>");
        let next_class = classes.get(n + 1).copied().unwrap_or("</s>");
        found.push(slot(&["2w", word, next]));
        found.push(slot(&["2c", classes[n], next_class]));
        found.push(slot(&["2m", classes[n], next]));
        found.push(slot(&["2n", word, next_class]));
        if let Some(third) = classes.get(n + 2) {
            found.push(slot(&["3c", classes[n], next_class, third]));
        }
        for far in 2..=4 {
            if let Some(other) = classes.get(n + far) {
                found.push(slot(&["far", classes[n], other]));
            }
        }
    }
}

/// The beginning of a word, which survives its endings and most slips.
fn stem(word: &str) -> &str {
    word.char_indices().nth(5).map_or(word, |(at, _)| &word[..at])
}

/// FNV-1a over the parts.
fn slot(parts: &[&str]) -> usize {
    let mut hash: u32 = 0x811C_9DC5;
    for part in parts {
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    ((hash ^ (hash >> 15)) as usize) % SLOTS
}

/// What a word does in a sentence, in English, Spanish and French; itself where it does nothing of these.
pub(super) fn class(word: &str) -> &str {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return if word.len() >= 4 { "CODE" } else { "DIGITS" };
    }
    CLASS_OF.get(word).copied().unwrap_or(word)
}

static CLASS_OF: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let each = |(class, words): &(&'static str, &'static str)| {
        let class = *class;
        words.split_whitespace().map(move |word| (word, class)).collect::<Vec<_>>()
    };
    CLASSES.iter().rev().flat_map(each).collect()
});

const CLASSES: &[(&str, &str)] = &[
    (
        "END",
        "stop stopall stopping stopped quit cease end ending halt desist discontinue suspend terminate unsubscribe unsub \
        optout refrain revoke revoked withdraw stopsign exit enough basta alto parar pare paren parenle parale dejar deje \
        dejen deja detener detengan detenga cesar baja arret arreter arretez cessez cesser assez suffit desabonner \
        desabonnez desinscription finir pausa mute unfollow unenroll deactivate",
    ),
    (
        "TAKE",
        "remove removed removing removal delete deleted deleting erase purge scrub wipe drop lose forget strike cross \
        scratch block blocked blocking report reporting reported borrar borre borren borrenme borreme quitar quite quiten \
        quitenme quiteme eliminar elimine eliminen eliminenme sacar saque saquenme saqueme enlevez retirez supprimez effacez \
        enlever retirer ban blacklist take taken taking get off out away",
    ),
    (
        "TEXT",
        "text texts texting texted message messages messaging messaged sms mms contact contacting contacted communication \
        communications communicate correspondence spam spamming solicit soliciting solicitation solicitations notification \
        notifications notify notifying alerts reminders updates promos promotions ads advertising advertisements marketing \
        offers newsletters subscription blasts robotexts outreach ping pinging mensaje mensajes textos escribir escriba escriban \
        escribas escribirme mandar mande manden mandes enviar envie envien contactar contacte contacten llamen llame ofertas \
        correos textez texto ecrivez ecrire contactez contacter envoyez envoyer harass harassing harassment bother bothering \
        bug bugging annoy annoying pester pestering hounding hassle disturb molestar molesten moleste molesta fastidiar respond \
        reply hear hearing reach reaching write writing bothered solicited spammed",
    ),
    (
        "NO",
        "no not dont never wont cant without none nothing nobody neither nor didnt doesnt isnt wouldnt couldnt shouldnt arent \
        aint nunca jamas ya tampoco sin ne pas plus jamais longer anymore again further more nah nope mas",
    ),
    (
        "LIST",
        "list lists number numbers database system records contacts group subscription registry lista numero datos info \
        information telefono celular liste numero coordonnees phone cell name",
    ),
    (
        "WANT",
        "want wants wish like need prefer rather interested interest consent agree agreed permission sign signed ask asked \
        asking request requesting quiero deseo quisiera necesito interesa autorizo veux voudrais souhaite interesse",
    ),
    ("ME", "me my us our i im ive id mine we nos nuestro mi mis yo moi mon mes je m"),
    ("YOU", "you your yours youre yall guys people usted ustedes su sus tu vous votre vos u"),
    (
        "PLEASE",
        "please kindly could would can may might must favor por veuillez svp merci thanks gracias appreciate respectfully",
    ),
    (
        "CURSE",
        "fuck fucking shit damn hell ass asshole assholes idiot idiots moron morons jerk jerks jackass scammer scammers \
        stupid crap bullshit fk pendejos cabrones chingar mierda",
    ),
    ("WRONG", "wrong equivocado equivocada mauvais incorrect mistaken"),
    (
        "WORK",
        "water leak leaks leaking leaky drip drips dripping pipe pipes roof roofing toilet toilets faucet sink drain drains \
        heater hvac ac furnace breaker outlet panel power light lights electric job work working truck driveway gate house door \
        yard street rain flood flooding flow running noise alarm beeping sewer gas shingles gutters ceiling attic basement \
        kitchen bathroom shower tub hose valve shutoff pump meter appointment reschedule schedule tomorrow tonight today monday \
        tuesday wednesday thursday friday saturday sunday estimate quote invoice bill paint crew dig digging drilling install \
        repair fix fixed come coming visit corner road sign fence wire smoke tree wall floor dog tank disposal inspector permit \
        invoices estimates quotes bills card billing charging charged \
        plumber electrician roofer tech price cost check payment pay key address neighbor tenant landlord agua fuga goteo \
        calentador tuberia techo llave cita factura presupuesto casa puerta trabajo fuite eau robinet reservoir",
    ),
    (
        "WHEN",
        "am pm oclock noon morning afternoon evening week weekend month hour hours minutes min now later soon early late \
        before after until till by at",
    ),
];
