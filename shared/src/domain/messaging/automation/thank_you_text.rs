//! Detection of texts that only thank or agree: "Great thanks", "ok see you then", a thumb.
//!
//! Closed lists: a text must consist of listed words and phrases, and one of them must thank or agree. Words that can ask
//! or tell something ("is", "you", "out", "again") are listed only within phrases. Days and times are not listed, because
//! they may answer a proposal. Other texts are left to a person. "Yes" and "no" are answers and may change what is to be
//! done.

const THANKS: &str = "\
    thanks thank thankyou thx tks thnx ty tysm appreciate appreciated ok okay k kk great good perfect awesome \
    excellent amazing wonderful fantastic cool gotcha roger noted understood gracias perfecto excelente listo vale \
    merci parfait bravo beautiful brilliant";
/// May stand anywhere.
const BESIDE: &str = "\
    so very much really super just lots tons guys guy team yall sir maam man bro buddy mike hi hello hey bye cheers \
    and alright muchas mil muy bien beaucoup kindly muchisimas everyone everybody";
/// For `_` in a phrase; `*` takes only [`STRONG_PRAISE`].
const MILD_PRAISE: &str = "good well nice fine happy";
const STRONG_PRAISE: &str = "\
    great perfect awesome excellent amazing wonderful fantastic beautiful brilliant lovely super incredible \
    outstanding";
/// Phrases that thank or agree.
const AGREED: &str = "\
    sounds _, got it, got that, will do, no problem, no problem at all, no worries, see you, see ya, see you then, \
    see you soon, see you later, see you there, see ya then, see ya soon, see ya later, well done, copy that, love \
    it, loved it, nos vemos, esta bien, all good, works for me, works for us, no worries at all, thumbs up, _ job, _ \
    job today, _ work, _ service";
const BESIDE_PHRASES: &str = "\
    thank you, thank u, thank yall, thank you all, thank you both, thanks all, thanks both, thanks again, thank you \
    again, thank you so much again, thanks a lot, thanks a bunch, thanks a ton, thanks a million, appreciate it, i \
    appreciate, we appreciate, much love, _ team, you are the best, you rock, you too, you as well, me too, same to \
    you, to you, to you all, to all of you, it is, it was, its, it looks, looks _, looking _, it works, works _, it \
    works now, working _, everything is, everything was, everything works, everything works _, everything looks _, \
    everything looks, this is, that is, that was, that was quick, that was fast, was _, was so _, it turned out _, \
    it came out _, turned out _, came out _, have a _ day, have a _ one, have a _ night, have a _ evening, have an _ \
    day, have an _ evening, have a _ weekend, have an _ weekend, have a _ week, have a _ rest of your day, enjoy \
    your weekend, enjoy your day, you have a _ day, you all have a _ day, you have a _ weekend, hope you have a _ \
    day, hope you have a _ weekend, ok then, okay then, welcome, youre welcome, you are welcome, god bless, god \
    bless you, bless you, take care, i will be here, we will be here, ill be here, i will, we will, i got it, we got \
    it, i understand, por todo, por la ayuda, por su ayuda, por su trabajo, por el buen trabajo, por venir, buen \
    dia, buenos dias, buenas tardes, buenas noches, buen trabajo, excelente trabajo, muy amable, muy amables, que \
    tenga buen dia, que tenga un buen dia, que tengan buen dia, que tengan un buen dia, que dios lo bendiga, que \
    dios los bendiga, dios lo bendiga, dios los bendiga, hasta luego, a ustedes, a usted, a todos, quedo _, quedo \
    muy bien, todo bien, todo perfecto, todo excelente, de acuerdo, bonne journee, pour tout, all your help, love \
    how it looks, love how it turned out, love how it came out, loved how it turned out, i love, we love, i love it, \
    we love it, it was the best, this is the best, you guys are the best, yall are the best, you guys rock, _ with \
    it, _ with everything, _ with the work, _ with the job, _ with how it turned out, and again thank you, again \
    thank you, just wanted to say, a pleasure, thats _, you are *, you guys are *, yall are *, i am happy, i am so \
    happy, i am very happy, im happy, im so happy, im very happy, we are happy, we are so happy, we are very happy, \
    it is working *, good morning thanks, good morning thank you, good afternoon thank you, good evening thank you, \
    many thanks, you guys did *, you guys did a * job, i am so happy with it, i am very happy with it, i am happy \
    with it, i am happy with the work, im so happy with it, we are so happy with it, we are very happy with it, we \
    are happy with it, thanks good night, thank you good night";
/// What the thanks are for, directly after one of [`GRATITUDE`]: "ok for today" is an answer.
const AFTER_GRATITUDE: &str = "\
    for everything, for all, for all you do, for all of it, for today, for this, for that, for the help, for your \
    help, for all your help, for the update, for your time, for coming, for coming out, for coming so quickly, for \
    the _ work, for the _ job, for the _ service, for your _ work, for your _ service, for your work, for the work, \
    for the quick work, for the quick service, for the fast work, for the fast service, for being so _, for coming \
    out today, for coming today, for all the _ work, for all your work, for all your _ work, for all your hard work, \
    for the hard work, for your hard work";
const GRATITUDE: &str = "\
    thanks thank you u thx thnx tks ty thankyou much lot all both guys yall again mike gracias appreciate \
    appreciated";
const APPROVING: &str = "👍👌🙏😊🙂😀😁😃😄❤💙💚💯🎉🤝👏😍🥰✅🫡🤗💪⭐🌟🔧🏠";
const ALARMING: &str = "🔥💧💦🌊🚨🆘😡🤬😭👎❌⛔🛑🚫🖕🤔❓❔";
/// Longer texts are not taken for thanks.
const MOST_WORDS: usize = 24;

#[must_use]
pub fn is_thanks(text: &str) -> bool {
    let trimmed = text.trim();
    let is_asking = trimmed.contains(['?', '\u{bf}', '\u{ff1f}']);
    if is_asking || trimmed.chars().count() > 240 || trimmed.contains(|c: char| ALARMING.contains(c)) {
        return false;
    }
    let plain: String =
        trimmed.to_lowercase().chars().filter(|c| !matches!(c, '\'' | '\u{2019}')).map(strip_accent).collect();
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return trimmed.contains(|c: char| APPROVING.contains(c));
    }
    words.len() <= MOST_WORDS && consists_of_thanks(&words)
}

/// Whether listed words and phrases cover the text.
fn consists_of_thanks(words: &[&str]) -> bool {
    // Beginnings that are covered, by number of words: without, and with words that thank.
    let mut covered = vec![[false; 2]; words.len() + 1];
    covered[0][0] = true;
    for n in 0..words.len() {
        let before = covered[n];
        for (length, thanks) in find_phrases(words, n) {
            let after = &mut covered[n + length];
            after[0] |= before[0] && !thanks;
            after[1] |= before[1] || (before[0] && thanks);
        }
    }
    covered[words.len()][1]
}

/// Lengths of the listed phrases that begin at word `n`, and whether they thank or agree.
fn find_phrases(words: &[&str], n: usize) -> Vec<(usize, bool)> {
    let rest = &words[n..];
    let mut found = Vec::new();
    if is_listed(THANKS, rest[0]) || is_listed(BESIDE, rest[0]) {
        found.push((1, is_listed(THANKS, rest[0])));
    }
    let is_grateful = n > 0 && is_listed(GRATITUDE, words[n - 1]);
    let lists = [(AGREED, true), (BESIDE_PHRASES, false), (if is_grateful { AFTER_GRATITUDE } else { "" }, false)];
    for (list, agrees) in lists {
        for length in list.split(',').filter_map(|phrase| match_phrase(phrase, rest)) {
            found.push((length, agrees || rest[..length].iter().any(|word| is_listed(THANKS, word))));
        }
    }
    found
}

/// Number of words of the phrase if the text begins with it.
fn match_phrase(phrase: &str, words: &[&str]) -> Option<usize> {
    let length = phrase.split_whitespace().count();
    let begins = length > 0
        && length <= words.len()
        && phrase.split_whitespace().zip(words).all(|(wanted, word)| match wanted {
            "*" => is_listed(STRONG_PRAISE, word),
            "_" => is_listed(STRONG_PRAISE, word) || is_listed(MILD_PRAISE, word),
            _ => wanted == *word,
        });
    begins.then_some(length)
}

fn is_listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

fn strip_accent(c: char) -> char {
    match c {
        '\u{e0}' | '\u{e1}' => 'a',
        '\u{e8}' | '\u{e9}' | '\u{ea}' => 'e',
        '\u{ed}' => 'i',
        '\u{f3}' => 'o',
        '\u{fa}' | '\u{fc}' => 'u',
        '\u{f1}' => 'n',
        '\u{e7}' => 'c',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::is_thanks;

    /// Percent of the texts that are taken for thanks, these, and the others.
    fn measure_heard(texts: &str) -> (usize, Vec<&str>, Vec<&str>) {
        let (heard, unheard): (Vec<&str>, Vec<&str>) = texts.lines().partition(|text| is_thanks(text));
        (heard.len() * 100 / texts.lines().count(), heard, unheard)
    }

    #[test]
    fn thanks_and_consent_are_recognized_in_usual_words() {
        let texts = include_str!("plain_thanks.txt");
        assert!(texts.lines().count() >= 40);
        let (percent, _, unheard) = measure_heard(texts);
        assert!(percent >= 95, "{percent} %: {unheard:?}");
    }

    #[test]
    fn text_saying_more_than_thanks_is_left_to_a_person() {
        let texts = include_str!("more_than_thanks.txt");
        assert!(texts.lines().count() >= 40);
        let (percent, heard, _) = measure_heard(texts);
        assert!(percent < 2, "{percent} %: {heard:?}");
        for text in [
            "",
            "?",
            "ok?",
            "no",
            "yes",
            "Ok how much",
            "Perfect will you be here this afternoon",
            "Great, it is out again",
            "ok see you monday",
            "Friday at 2 works great thanks",
        ] {
            assert!(!is_thanks(text), "{text}");
        }
    }
}
