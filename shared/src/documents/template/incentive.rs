//! Whether one text asks for a review and offers something: neither the law nor the review sites allow the two
//! together (16 CFR 465.4; Google's contributed content policy).

use super::language::without_accents;

/// Words about reviews, besides that word itself; a star at the end stands for any ending.
const REVIEW: &str = "rate us, rate our, rate your, rating*, 5 star*, five star*, stars, feedback, testimonial*, yelp, \
    google, trustpilot, resena*, opinion*, opine*, kind word*, califi*, valoracion*, estrella*, un comentario, \
    su comentario, recomiend*, recomendacion*";

/// Words about something given.
const INCENTIVE: &str = "discount*, gift*, free, freebie*, coupon*, voucher*, reward*, prize*, raffle*, giveaway*, win, sweepstake*, \
    lottery, contest*, drawing, bonus*, cash, cashback, credit, credits, complimentary, promo, promos, \
    promotion*, special offer*, rebate*, refund*, perk, perks, waive*, half price, half off, money off, dollars, \
    bucks, percent, on us, on the house, a coffee, a treat, swag, merch, amazon, starbucks, bonus points, reward \
    points, loyalty points, pay you, off your next, off the next, knock off, entered to, enter to, incentive*, \
    bogo, 2 for 1, two for one, venmo, zelle, tee shirt*, t shirt*, something nice, something special, a \
    surprise, money back, reduction, loyalty, sorpresa*, in exchange, thank you present, presents, descuento*, \
    regal*, gratis, gratuit*, cupon*, premi*, sorteo*, rifa*, bono, bonos, recompensa*, gane, ganar, gana, \
    obsequi*, reembols*, credito, creditos, un vale, vale de, oferta*, promocion*, rebaja*, ahorre, dolares, por \
    ciento, a cambio, invitamos un, mitad de precio";

/// Sayings that hold such a word and mean something else; taken out first.
const HARMLESS: &str = "feel free, free to, toll free, hassle free, worry free, stress free, leak free, trouble free, interest free, \
    your free estimate, your free quote, count on us, rely on us, depend on us, check on us, credit card, credit \
    cards, tarjeta de credito, ready for review, ready for your review, attached for review, attached for your \
    review, here for your review, up for review, under review, review and sign, review and approve, no gifts, \
    cash or check, in cash, drawing of, google maps, google calendar, para ganar tiempo";

/// What a person reviews by reading it, not by judging the business.
const PAPERS: &[&str] = &[
    "invoice",
    "estimate",
    "quote",
    "bill",
    "details",
    "proposal",
    "contract",
    "plan",
    "document",
    "documents",
    "order",
    "agreement",
    "balance",
    "statement",
    "account",
    "options",
    "photos",
    "appointment",
    "permit",
    "scope",
    "total",
];

/// Words before a sum that is owed, not given.
const BILLS: &[&str] = &[
    "payment",
    "invoice",
    "estimate",
    "quote",
    "total",
    "balance",
    "cost",
    "costs",
    "deposit",
    "deductible",
    "bill",
    "pago",
    "factura",
    "saldo",
    "presupuesto",
];

/// The word that offers something, when the text also speaks of reviews.
pub(super) fn for_a_review(text: &str) -> Option<String> {
    let text = Plain::read(text);
    if text.review() { text.incentive() } else { None }
}

/// The word that offers something, or that asks for a review.
pub(super) fn promotion(text: &str) -> Option<String> {
    let text = Plain::read(text);
    text.incentive().or_else(|| text.review().then(|| "review".to_owned()))
}

/// The one that offers something, in a text that is a request for a review whatever its words are.
pub(super) fn offer(text: &str) -> Option<String> {
    Plain::read(text).incentive()
}

/// Lower-case words without accents, each between blanks.
struct Plain(String);

impl Plain {
    fn read(text: &str) -> Self {
        let lower = without_accents(&text.to_lowercase().replace(['’', '\''], ""));
        let mut plain = String::from(" ");
        for word in lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '$' | '%' | '🎁' | '⭐'))) {
            if !word.is_empty() {
                plain.push_str(word);
                plain.push(' ');
            }
        }
        for saying in HARMLESS.split(", ") {
            plain = plain.replace(&format!(" {saying} "), " ");
        }
        Self(plain)
    }

    fn has(&self, pattern: &str) -> bool {
        pattern
            .strip_suffix('*')
            .map_or_else(|| self.0.contains(&format!(" {pattern} ")), |stem| self.0.contains(&format!(" {stem}")))
    }

    fn review(&self) -> bool {
        if self.0.contains('⭐') || REVIEW.split(", ").any(|pattern| self.has(pattern)) {
            return true;
        }
        let words: Vec<&str> = self.0.split_whitespace().collect();
        (0..words.len()).any(|at| words[at].starts_with("review") && !reads(&words, at))
    }

    fn incentive(&self) -> Option<String> {
        if let Some(pattern) = INCENTIVE.split(", ").find(|pattern| self.has(pattern)) {
            return Some(pattern.trim_end_matches('*').to_owned());
        }
        let words: Vec<&str> = self.0.split_whitespace().collect();
        let number = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
        words.iter().enumerate().find_map(|(at, word)| {
            let money = word.contains('$') && word.contains(|c: char| c.is_ascii_digit()) && !owed(&words, at);
            let part = word.contains('%') || word.contains('🎁');
            let off = number(word) && words.get(at + 1) == Some(&"off");
            (money || part || off).then(|| (*word).to_owned())
        })
    }
}

/// Whether the "review" at this place is somebody reading papers: the customer an invoice, the business a request.
fn reads(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| words[before]);
    let after = &words[at + 1..words.len().min(at + 5)];
    let of_us = after.first().is_some_and(|next| matches!(*next, "us" | "our" | "on"));
    let by_us = matches!(before, "we" | "well" | "will" | "have" | "has" | "is" | "are" | "been") && !of_us;
    let papers = after.iter().any(|word| PAPERS.contains(word));
    by_us || papers && !matches!(before, "a" | "us" | "leave" | "post" | "write")
}

/// Whether the sum at this place is what the customer pays: "your payment of $350".
fn owed(words: &[&str], at: usize) -> bool {
    let given =
        words.get(at + 1).is_some_and(|next| matches!(*next, "off" | "back" | "credit" | "gift" | "card" | "discount"));
    !given && words[at.saturating_sub(4)..at].iter().any(|word| BILLS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORPUS: &str = include_str!("incentive_corpus.txt");

    fn texts(mark: &str) -> Vec<&'static str> {
        CORPUS.lines().filter_map(|line| line.strip_prefix(mark)).map(str::trim).collect()
    }

    #[test]
    fn sixty_bought_reviews_are_refused() {
        let bought = texts("+");
        let missed: Vec<_> = bought.iter().filter(|text| for_a_review(text).is_none()).collect();
        assert!(bought.len() >= 60, "{}", bought.len());
        assert!(missed.len() * 100 <= bought.len() * 5, "recall below 95 %: {missed:#?}");
    }

    #[test]
    fn harmless_texts_pass() {
        let harmless = texts("-");
        let alarms: Vec<_> = harmless.iter().filter_map(|text| Some((text, for_a_review(text)?))).collect();
        assert!(harmless.len() >= 30, "{}", harmless.len());
        assert!(alarms.is_empty(), "{alarms:#?}");
    }
}
