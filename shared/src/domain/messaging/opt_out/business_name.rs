//! The business's own name in a text: "stop Acme Plumbing", "Acme, no more texts".

use super::{TextClassification, TextIntent, classify_sentences, normalization, normalization::Sentence};

/// Words of a name that distinguish no business.
const FORMS: [&str; 9] = ["llc", "inc", "co", "corp", "ltd", "company", "the", "and", "sons"];
/// Trades: beside one of these the other words are a name.
const TRADES: &str = "plumbing plumber plumbers roofing roofer roofers electric electrical electrician electricians hvac heating \
    cooling air construction contracting contractors contractor services service builders remodeling landscaping painting \
    handyman drain rooter home homes exteriors mechanical company";

/// Reads the text again without the business's name, and with "you" in its place.
pub(super) fn classify_without_business_name(sentences: &[Sentence], business: &str) -> Option<TextClassification> {
    let name: Vec<String> = normalization::split_sentences(business)
        .iter()
        .flat_map(Sentence::words)
        .map(ToOwned::to_owned)
        .take(8)
        .collect();
    let name: Vec<&str> = name.iter().map(String::as_str).filter(|word| !FORMS.contains(word)).collect();
    let is_trade = |word: &str| TRADES.split_whitespace().any(|one| one == word);
    let own = name.first().copied().filter(|first| first.len() > 2 && !is_trade(first))?;
    let is_named = |word: &str| word == own || word.strip_suffix('s') == Some(own) || word == name.concat();
    if !sentences.iter().flat_map(Sentence::words).any(is_named) {
        return None;
    }
    let whole = format!(" {} ", name.join(" "));
    let says_whole = name.len() > 1 && sentences.iter().any(|sentence| sentence.text.contains(&whole));
    // A business named after the work is recognized by its whole name only.
    if is_work_word(own) && !says_whole {
        return None;
    }
    let is_certain = says_whole && name.iter().any(|word| is_trade(word)) && !is_work_word(own);
    let with = |put: &str| -> Vec<Sentence> {
        let each = sentences.iter().map(|sentence| replace_business_name(sentence, &name, &is_named, put));
        each.filter(|sentence| sentence.words().next().is_some()).collect()
    };
    let read = classify_sentences(&with(""))
        .filter(is_refusal)
        .or_else(|| classify_sentences(&with("you")).filter(is_refusal))?;
    // A keyword with the whole name is as plain as the keyword; one word of the name may be about the work.
    let intent = if is_certain { read.intent } else { TextIntent::Pause };
    Some(TextClassification { intent, matched: read.matched.map(|matched| format!("{matched} (to {business})")) })
}

fn is_refusal(read: &TextClassification) -> bool {
    matches!(read.intent, TextIntent::Stop | TextIntent::Pause)
}

fn is_work_word(word: &str) -> bool {
    super::grammar::JOB_WORDS.is_match(word)
}

/// Replaces each run of words of the name that begins with its own word.
fn replace_business_name(sentence: &Sentence, name: &[&str], is_named: &dyn Fn(&str) -> bool, put: &str) -> Sentence {
    let mut words = Vec::new();
    let mut in_name = false;
    for word in sentence.text.split_whitespace() {
        let single = word.strip_suffix('s').unwrap_or(word);
        let goes_on = in_name && (name.contains(&word) || name.contains(&single) || FORMS[..6].contains(&word));
        if is_named(word) {
            words.push(put);
            in_name = true;
        } else if !goes_on {
            words.push(word);
            in_name = false;
        }
    }
    let text = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    Sentence { text: format!(" {text} "), question: sentence.question }
}
