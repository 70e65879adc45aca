//! A keyword at the beginning or the end of what says more, or beside the number it was to be sent to.

use super::grammar::JOB_WORDS;
use super::keyword::{COURTESIES, PLAIN, SLIPS, is_one_of, is_slip_of_keyword};
use super::learned::{class, is_about_work};
use super::normal::Sentence;
use super::{Read, Reading};

/// "Stop before I call a lawyer", "STOP s'il vous plaît": it begins with the word, and nothing is said of the work.
pub(super) fn at_the_beginning(sentences: &[Sentence]) -> Option<Read> {
    /// What follows "stop" where somebody is to come, or a thing is to end.
    const GOES_ON: &str = "by in at over on off up the a an my our and for here there wait payment work when if until to from with \
        one two three 4 5 valve sign sometime anytime whenever after around near next between some that his her their what where of \
        switch cock box collar bath watch light motion bugging";
    /// What may stand before it.
    const BEFORE: &str = "please hi hello hey ok okay no nope nah yes yeah just omg wtf lol haha sorry well now ugh jeez sir maam \
        dude bro man thanks you";
    const THREAT: &str =
        "lawyer attorney sue suing report reporting fcc ftc police block blocking legal harassment cops";
    let first = sentences.iter().find(|sentence| sentence.words().any(|word| !is_one_of(COURTESIES, word)))?;
    let mut words = first.words().skip_while(|word| is_one_of(BEFORE, word));
    let begins = words.next().is_some_and(|word| PLAIN.contains(&word));
    let threatens = sentences.iter().flat_map(Sentence::words).any(|word| is_one_of(THREAT, word));
    let next: Vec<&str> = words.take(3).collect();
    let swears = matches!(
        next[..],
        [
            "for",
            "gods" | "god" | "christ" | "christs" | "heavens" | "fucks" | "petes" | "good" | "real" | "ever" | "crying",
            ..
        ]
    ) || matches!(next[..], ["for", "the", "love"]);
    let goes_on =
        !swears && next.first().is_some_and(|word| is_one_of(GOES_ON, word) || (*word == "before" && !threatens));
    // "Stop charging my card": what is to end is not the texts.
    let of_a_thing = next.first().is_some_and(|word| is_doing(word));
    let about_work = sentences.iter().any(|sentence| JOB_WORDS.is_match(&sentence.text)) || is_about_work(sentences);
    if begins && !goes_on && !of_a_thing && !about_work && !first.question {
        return Some(Read::because(Reading::Pause, "begins with a keyword", &first.text));
    }
    ends_with_it(sentences).filter(|_| !about_work)
}

/// Whether the word is something that is done, and not to reach people: "charging", "mowing".
pub(super) fn is_doing(word: &str) -> bool {
    const WITH_US: &str = "sending getting receiving sharing selling blowing hitting trying asking";
    word.len() > 5 && word.ends_with("ing") && class(word) == word && !is_one_of(WITH_US, word)
}

/// "What is wrong with you people stop", "I pay per text so stop".
fn ends_with_it(sentences: &[Sentence]) -> Option<Read> {
    /// Before the last "stop" these speak of a thing that goes on, or of a place.
    const OF_A_THING: &str = "wont cant doesnt didnt dont wouldnt couldnt never not to bus door pit full angle gas the a next will does \
        did it would could can should must might i we they he she you that which last first one non quarter truck end valve any \
        texted said typed wrote replied accidentally mistakenly";
    let is_name =
        |sentence: &Sentence| [" name is ", " named ", " called "].iter().any(|says| sentence.text.contains(says));
    sentences.iter().filter(|sentence| !sentence.question && !is_name(sentence)).find_map(|sentence| {
        let words: Vec<&str> = sentence.words().filter(|word| !is_one_of(COURTESIES, word)).collect();
        let [.., before, "stop" | "unsubscribe"] = words[..] else { return None };
        (!is_one_of(OF_A_THING, before)).then(|| Read::because(Reading::Pause, "ends with a keyword", &sentence.text))
    })
}

/// "Stop 72345", "stop to 55512", "reply stop": a keyword with the number it was to be sent to.
pub(super) fn with_a_code(sentences: &[Sentence]) -> Option<Read> {
    const BESIDE: &str = "to reply replying text texting txt sms msg msgs message send sending number code 2 at from";
    let words: Vec<&str> = sentences.iter().flat_map(Sentence::words).collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let beside = |word: &&&str| is_number(word) || is_one_of(BESIDE, word) || is_one_of(COURTESIES, word);
    let bare: Vec<&&str> = words.iter().filter(|word| !beside(word)).collect();
    let numbers = words.iter().filter(|word| is_number(word)).count();
    let has_address = words.windows(2).any(|pair| pair[0] == "at" && is_number(pair[1]));
    let is_keyword =
        !bare.is_empty() && bare.iter().all(|word| PLAIN.contains(word) || **word == "unsub" || **word == "end");
    let begins = words.first().is_some_and(|word| PLAIN.contains(word) || is_one_of(BESIDE, word) || *word == "unsub");
    let is_question = sentences.iter().any(|sentence| sentence.question);
    (is_keyword && begins && numbers <= 2 && words.len() <= 6 && !has_address && !is_question)
        .then(|| Read::because(Reading::Pause, "keyword with a code", &words.join(" ")))
}

/// "Stpo texting me", "cancle texts": a slip of a keyword, and what is to end.
pub(super) fn slip_before_texts(sentences: &[Sentence]) -> Option<Read> {
    sentences.iter().find_map(|sentence| {
        let mut words = sentence.words().skip_while(|word| is_one_of(COURTESIES, word));
        let (word, next) = (words.next()?, words.next()?);
        let is_slip = (word != "can" && is_one_of(SLIPS, word)) || is_slip_of_keyword(word) || word == "sop";
        (is_slip && class(next) == "TEXT")
            .then(|| Read::because(Reading::Pause, "nearly a keyword", &format!("{word} {next}")))
    })
}
