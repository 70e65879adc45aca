//! Characters that no business name has: by them a name passes for another sender.

use crate::platform::error::FieldErrors;

const PROBLEM: &str = "Please leave out <, >, @, :// and invisible characters";

/// Records a fault of a typed business name.
pub(crate) fn check_business_name(field: &'static str, name: &str, errors: &mut FieldErrors) {
    if holds_address(name) || name.chars().any(is_hidden) {
        errors.add(field, PROBLEM);
    }
}

/// A stored name without the words that may be an address. Empty where nothing is left.
pub(crate) fn strip_addresses(name: &str) -> String {
    if !holds_address(name) {
        return name.to_owned();
    }
    name.split_whitespace().filter(|word| !holds_address(word)).collect::<Vec<_>>().join(" ")
}

/// Also by the wide and small forms of these characters.
fn holds_address(text: &str) -> bool {
    text.contains(['<', '>', '@', '\u{ff1c}', '\u{ff1e}', '\u{ff20}', '\u{fe64}', '\u{fe65}', '\u{fe6b}'])
        || text.contains("://")
}

/// Characters without width. The two joiners are allowed: emoji and several scripts need them.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2060}'..='\u{2064}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn business_name_with_address_or_hidden_character_is_refused() {
        for bad in ["PayPal <x", "x> Roofing", "a@b.example", "see http://x", "Pay\u{200b}Pal", "a\u{ff20}b"] {
            let mut errors = FieldErrors::default();
            check_business_name("name", bad, &mut errors);
            assert!(errors.0.contains_key("name"), "{bad:?}");
        }
        for good in ["A-1 Plumbing 24/7", "O'Neil & Sons, LLC", "1-800-GOT-LEAK?", "\u{1f469}\u{200d}\u{1f527} Ann"] {
            let mut errors = FieldErrors::default();
            check_business_name("name", good, &mut errors);
            assert!(errors.0.is_empty(), "{good:?}");
        }
    }

    #[test]
    fn addresses_are_left_out_of_a_stored_name() {
        assert_eq!(strip_addresses("PayPal <security@paypal.com> Help"), "PayPal Help");
        assert_eq!(strip_addresses("Crafts @ Home"), "Crafts Home");
        assert_eq!(strip_addresses("1-800-GOT-LEAK?"), "1-800-GOT-LEAK?");
        assert_eq!(strip_addresses("<a@b.example>"), "");
    }
}
