//! The text fits two segments with any figures and any name, and no figure is cut.

use proptest::prelude::*;

use super::*;

fn parts(money: &[i64], counts: &[i64]) -> Vec<SmsPart> {
    let [collected, owed, late, sent, won, margin] = [0, 1, 2, 3, 4, 5].map(|n| Cents(money[n]).format_usd());
    let need = |words: String| SmsPart { words, is_spare: false };
    let spare = |words: String| SmsPart { words, is_spare: true };
    vec![
        need("LATE (due 12:00 AM) Sep 17-Sep 23:".to_owned()),
        need(if counts[0] % 2 == 0 { String::new() } else { "! sending stopped, ! texts 80% ok".to_owned() }),
        need(format!("{collected} in, {owed} owed ({late} late).")),
        need(format!("{} leads, <5min 100%, med 23 h 59 min.", counts[0])),
        need(format!("Quotes {} {sent}, won {} {won}.", counts[1], counts[2])),
        need(format!("Jobs {}, today {}.", counts[3], counts[4])),
        spare(format!("Calls missed {}, back {}.", counts[5], counts[5])),
        spare(format!("Margin {margin} est.")),
        spare("To do: 3.".to_owned()),
        spare(format!("Reviews {}/{}.", counts[0], counts[1])),
        spare(format!("Saved {}.5h.", counts[2])),
    ]
}

const LINK: &str = "https://toolbox.example/app";

#[test]
fn typical_brief_fits_two_segments_with_all_figures() {
    let text = fit_to_segments(
        "Åsa & Søn's Plumbing – Heating",
        &parts(&[125_050, 340_000, 90_000, 320_000, 125_000, 81_250], &[4; 6]),
        LINK,
    );
    let wanted = "Åsa & Søn's Plumbing - Heat LATE (due 12:00 AM) Sep 17-Sep 23: $1,250.50 in, $3,400.00 owed ($900.00 late). \
        4 leads, <5min 100%, med 23 h 59 min. Quotes 4 $3,200.00, won 4 $1,250.00. Jobs 4, today 4. Calls missed 4, back 4. \
        Margin $812.50 est. To do: 3. Reviews 4/4. Saved 4.5h. https://toolbox.example/app";
    assert_eq!(text, wanted);
    assert_eq!(sms_segments::count_segments(&text).segments, 2);
}

#[test]
fn unsupported_letters_lose_accent_or_are_dropped() {
    assert_eq!(to_gsm7("Peña Plomería"), "Peña Plomeria");
    assert_eq!(to_gsm7("漢字 Roofing 🔧 Co"), "Roofing Co");
    assert_eq!(to_gsm7("Joe’s “Best” Roofs"), "Joe's \"Best\" Roofs");
}

proptest! {
    #[test]
    fn brief_fits_two_segments_and_keeps_required_figures_whole(
        name in "\\PC{0,100}", money in prop::collection::vec(-99_999_999_i64..=999_999_999, 6),
        counts in prop::collection::vec(0_i64..=9_999, 6), link in "https://[a-z]{1,60}\\.example/app",
    ) {
        let parts = parts(&money, &counts);
        let text = fit_to_segments(&name, &parts, &link);
        let cost = sms_segments::count_segments(&text);
        prop_assert!(cost.segments <= 2 && cost.encoding == SmsEncoding::Gsm7, "{text}");
        for part in parts.iter().filter(|part| !part.is_spare) {
            prop_assert!(text.contains(&part.words), "{} in {text}", part.words);
        }
    }

    #[test]
    fn brief_with_extreme_figures_fits_two_segments(
        name in "\\PC{0,100}", money in prop::collection::vec(any::<i64>(), 6), counts in prop::collection::vec(any::<i64>(), 6),
    ) {
        let text = fit_to_segments(&name, &parts(&money, &counts), LINK);
        prop_assert!(sms_segments::count_segments(&text).segments <= 2, "{text}");
    }
}
