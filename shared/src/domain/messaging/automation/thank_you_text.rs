//! Detection of texts that only thank or agree: "Great thanks", "ok see you then", a thumb.
//!
//! Closed list: every word must be listed, one of them must thank or agree, and nothing may be asked. Other texts are
//! left to a person. "Yes" and "no" are answers and may change what is to be done.

const THANKS: &str = "thanks thank thankyou thx tks thnx ty tysm appreciate appreciated ok okay k kk great good perfect awesome \
    excellent amazing wonderful fantastic cool sounds gotcha roger copy noted understood gracias perfecto excelente listo vale \
    merci parfait bravo beautiful";
const BESIDE: &str = "you u so very much again for the your all everything guys guy yall team and a an it its is was are were looks look \
    looking looked works working worked nice job work well done see ya then there soon later tomorrow tonight today at on in this \
    that monday tuesday wednesday thursday friday saturday sunday morning afternoon evening noon am pm oclock got will do no problem \
    worries np have day night weekend week one too same we ill be here i im me my us our really lovely happy pleased with how to of \
    came out turned fast quick service best sir maam man bro buddy mike have had hope muchas mil por todo muy bien nos vemos manana \
    hasta luego que tenga buen dia beaucoup bonne journee pour tout right up love loved super just wanted say much lot lots ton tons bunch alright bye \
    welcome god bless hi hello hey good great cheers both take care";
/// Longer texts are not taken for thanks.
const MOST_WORDS: usize = 24;

#[must_use]
pub fn is_thanks(text: &str) -> bool {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.contains('?') || trimmed.chars().count() > 240 {
        return false;
    }
    let plain = trimmed.to_lowercase().replace(['\'', '\u{2019}'], "");
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return trimmed.chars().any(|c| APPROVING.contains(c)) && !trimmed.chars().any(|c| ALARMING.contains(c));
    }
    let one_of = |list: &str, word: &str| list.split_whitespace().any(|one| one == word);
    // "No" is only part of "no problem" and "no worries".
    let denies = words.windows(2).any(|pair| pair[0] == "no" && !matches!(pair[1], "problem" | "worries"))
        || words.last() == Some(&"no")
        || words.iter().enumerate().any(|(n, word)| *word == "problem" && (n == 0 || words[n - 1] != "no"));
    let is_time = |word: &str| word.len() <= 4 && word.starts_with(|c: char| c.is_ascii_digit());
    let is_only_thanks = words.iter().all(|word| one_of(THANKS, word) || one_of(BESIDE, word) || is_time(word));
    let thanks = words.iter().any(|word| one_of(THANKS, word)) || SAID.iter().any(|phrase| plain.contains(phrase));
    words.len() <= MOST_WORDS && is_only_thanks && thanks && !denies
}

const SAID: [&str; 8] =
    ["see you", "see ya", "got it", "will do", "no problem", "no worries", "nos vemos", "well done"];
const APPROVING: &str = "👍👌🙏😊🙂😀😁😃😄❤💙💚💯🎉🤝👏😍🥰✅🫡🤗💪⭐🌟🔧🏠";
const ALARMING: &str = "🔥💧💦🌊🚨🆘😡🤬😭👎❌⛔🛑🚫🖕";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thanks_and_consent_are_recognized_in_usual_words() {
        for text in [
            "Great thanks",
            "Great, thanks!",
            "ok",
            "OK",
            "K",
            "see you then",
            "See you tomorrow at 2",
            "thank you so much!",
            "Thanks again for the great work guys",
            "sounds good",
            "perfect",
            "👍",
            "👍🏻",
            "🙏🙏",
            "Got it, thanks",
            "no problem",
            "No worries, see you Friday",
            "awesome job",
            "Looks great, thank you!!",
            "gracias",
            "muchas gracias por todo",
            "ok see you at 3pm",
            "merci beaucoup",
            "Thank you, have a great weekend",
            "ty",
            "it works great thanks",
            "ok perfect thanks see you then",
        ] {
            assert!(is_thanks(text), "{text}");
        }
    }

    #[test]
    fn text_saying_more_than_thanks_is_left_to_a_person() {
        for text in [
            "",
            "?",
            "ok?",
            "thanks but it still leaks",
            "another leak in the kitchen",
            "Thanks! Can you also look at the sink",
            "great, when are you coming",
            "ok but not tomorrow",
            "thanks, the problem is back",
            "no",
            "yes",
            "no thanks",
            "ok the gate code is 4421 by the pool",
            "it works no",
            "thanks for nothing",
            "👎",
            "🔥",
            "💧💧",
            "good grief it is flooding",
            "thank you, one more thing: the toilet runs",
            "problem",
            "great, now the heater is out",
            "not good",
            "12345",
            "at 3",
        ] {
            assert!(!is_thanks(text), "{text}");
        }
    }
}
