//! Keywords at the beginning or the end of a longer text, or beside the number they were meant for.

use super::classifier::{is_about_work, word_class};
use super::grammar::JOB_WORDS;
use super::keyword::{COURTESIES, MISSPELLINGS, UNAMBIGUOUS_KEYWORDS, is_misspelled_keyword, list_contains};
use super::normalization::Sentence;
use super::{TextClassification, TextIntent};

/// "Stop before I call a lawyer", "STOP s'il vous plaît": begins with the keyword, and nothing is about the work.
pub(super) fn match_leading_keyword(sentences: &[Sentence]) -> Option<TextClassification> {
    /// Words after "stop" where a person is to come, or a thing is to end.
    const GOES_ON: &str = "by in at over on off up the a an my our and for here there wait payment work when if until to from with \
        one two three 4 5 valve sign sometime anytime whenever after around near next between some that his her their what where of \
        switch cock box collar bath watch light motion bugging";
    const BEFORE: &str = "please hi hello hey ok okay no nope nah yes yeah just omg wtf lol haha sorry well now ugh jeez sir maam \
        dude bro man thanks you";
    const THREAT: &str =
        "lawyer attorney sue suing report reporting fcc ftc police block blocking legal harassment cops";
    let first = sentences.iter().find(|sentence| sentence.words().any(|word| !list_contains(COURTESIES, word)))?;
    let mut words = first.words().skip_while(|word| list_contains(BEFORE, word));
    let begins = words.next().is_some_and(|word| UNAMBIGUOUS_KEYWORDS.contains(&word));
    let threatens = sentences.iter().flat_map(Sentence::words).any(|word| list_contains(THREAT, word));
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
        !swears && next.first().is_some_and(|word| list_contains(GOES_ON, word) || (*word == "before" && !threatens));
    // "Stop charging my card": something other than the texts is to end.
    let of_a_thing = next.first().is_some_and(|word| is_activity(word));
    let about_work = sentences.iter().any(|sentence| JOB_WORDS.is_match(&sentence.text)) || is_about_work(sentences);
    if begins && !goes_on && !of_a_thing && !about_work && !first.question {
        return Some(TextClassification::matched_by(TextIntent::Pause, "begins with a keyword", &first.text));
    }
    match_trailing_keyword(sentences).filter(|_| !about_work)
}

/// An activity other than contacting people: "charging", "mowing".
pub(super) fn is_activity(word: &str) -> bool {
    const WITH_US: &str = "sending getting receiving sharing selling blowing hitting trying asking";
    word.len() > 5 && word.ends_with("ing") && word_class(word) == word && !list_contains(WITH_US, word)
}

/// "What is wrong with you people stop", "I pay per text so stop".
fn match_trailing_keyword(sentences: &[Sentence]) -> Option<TextClassification> {
    /// Before the last "stop" these are about a thing that goes on, or about a place.
    const OF_A_THING: &str = "wont cant doesnt didnt dont wouldnt couldnt never not to bus door pit full angle gas the a next will does \
        did it would could can should must might i we they he she you that which last first one non quarter truck end valve any \
        texted said typed wrote replied accidentally mistakenly";
    let is_name =
        |sentence: &Sentence| [" name is ", " named ", " called "].iter().any(|says| sentence.text.contains(says));
    sentences.iter().filter(|sentence| !sentence.question && !is_name(sentence)).find_map(|sentence| {
        let words: Vec<&str> = sentence.words().filter(|word| !list_contains(COURTESIES, word)).collect();
        let [.., before, "stop" | "unsubscribe"] = words[..] else { return None };
        (!list_contains(OF_A_THING, before))
            .then(|| TextClassification::matched_by(TextIntent::Pause, "ends with a keyword", &sentence.text))
    })
}

/// "Stop 72345", "stop to 55512", "reply stop": a keyword with the number it was to be sent to.
pub(super) fn match_keyword_with_code(sentences: &[Sentence]) -> Option<TextClassification> {
    const BESIDE: &str = "to reply replying text texting txt sms msg msgs message send sending number code 2 at from";
    let words: Vec<&str> = sentences.iter().flat_map(Sentence::words).collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let beside = |word: &&&str| is_number(word) || list_contains(BESIDE, word) || list_contains(COURTESIES, word);
    let bare: Vec<&&str> = words.iter().filter(|word| !beside(word)).collect();
    let numbers = words.iter().filter(|word| is_number(word)).count();
    let has_address = words.windows(2).any(|pair| pair[0] == "at" && is_number(pair[1]));
    let is_keyword = !bare.is_empty()
        && bare.iter().all(|word| UNAMBIGUOUS_KEYWORDS.contains(word) || **word == "unsub" || **word == "end");
    let begins = words
        .first()
        .is_some_and(|word| UNAMBIGUOUS_KEYWORDS.contains(word) || list_contains(BESIDE, word) || *word == "unsub");
    let is_question = sentences.iter().any(|sentence| sentence.question);
    (is_keyword && begins && numbers <= 2 && words.len() <= 6 && !has_address && !is_question)
        .then(|| TextClassification::matched_by(TextIntent::Pause, "keyword with a code", &words.join(" ")))
}

/// "Stpo texting me", "cancle texts": a slip of a keyword, and what is to end.
pub(super) fn match_misspelled_before_texts(sentences: &[Sentence]) -> Option<TextClassification> {
    sentences.iter().find_map(|sentence| {
        let mut words = sentence.words().skip_while(|word| list_contains(COURTESIES, word));
        let (word, next) = (words.next()?, words.next()?);
        let is_slip =
            (word != "can" && list_contains(MISSPELLINGS, word)) || is_misspelled_keyword(word) || word == "sop";
        (is_slip && word_class(next) == "TEXT")
            .then(|| TextClassification::matched_by(TextIntent::Pause, "nearly a keyword", &format!("{word} {next}")))
    })
}
