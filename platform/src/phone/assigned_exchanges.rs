//! Area codes where libphonenumber knows which exchanges are assigned. The list is a copy, because the metadata takes 70 ms
//! to load; a test compares the two.

/// Area code, and the beginnings of its exchanges.
const LIMITED: [(&str, &str); 7] = [
    ("274", "2 7"),
    (
        "340",
        "20 210 220 226 227 228 244 249 277 332 344 422 423 444 473 474 489 513 514 555 625 626 642 643 677 \
         690 692 693 712 713 714 715 717 718 719 725 727 77 884 998",
    ),
    ("472", "2 3 4 7 8 9"),
    (
        "670",
        "233 234 235 236 237 256 284 285 286 287 288 321 322 323 328 433 483 484 488 532 555 588 664 670 682 \
         783 785 788 789 838 848 858 868 878 888 898 989",
    ),
    (
        "671",
        "2 300 333 339 343 344 349 355 362 366 400 456 471 472 473 474 475 476 477 478 479 480 482 483 484 \
         485 486 487 488 489 555 562 563 564 565 588 632 633 634 635 637 638 642 644 645 646 647 648 649 653 \
         654 678 682 683 685 686 687 688 689 707 720 721 726 727 734 735 747 777 787 788 789 797 828 838 848 \
         858 864 867 868 878 888 898 922 929 967 969 971 972 977 979 987 988 989 991 996 997 998 999",
    ),
    ("684", "248 252 254 256 258 272 274 276 622 633 644 655 677 688 691 699 731 733 770 782"),
    ("983", "2 3 4 7 8 9"),
];

/// True for every exchange of an area code that is not limited.
pub(super) fn is_assigned_exchange(area: &str, exchange: &str) -> bool {
    LIMITED
        .iter()
        .find(|(limited, _)| *limited == area)
        .is_none_or(|(_, starts)| starts.split_whitespace().any(|start| exchange.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::LIMITED;
    use crate::{contact_hours, phone::Phone};

    fn is_valid(e164: &str) -> bool {
        phonenumber::parse(None, e164).is_ok_and(|number| number.is_valid())
    }

    /// Every exchange of a limited area code, a sample of the others. An area code of which the metadata knows no valid
    /// number is newer than the metadata, and is textable.
    #[test]
    fn textable_exchanges_agree_with_libphonenumber() {
        let sample: Vec<u32> = (200..1_000).filter(|exchange| exchange % 37 == 12).collect();
        for area in (200..1_000).map(|area| area.to_string()).filter(|area| contact_hours::is_area_code(area)) {
            let is_limited = LIMITED.iter().any(|(limited, _)| *limited == area);
            let exchanges = if is_limited { (200..1_000).collect() } else { sample.clone() };
            let numbers: Vec<String> = exchanges
                .into_iter()
                .filter(|exchange| exchange % 100 != 11 && ![950, 976].contains(exchange))
                .map(|exchange| format!("+1{area}{exchange}2345"))
                .collect();
            let is_known = numbers.iter().any(|e164| is_valid(e164));
            for e164 in numbers {
                let is_textable = Phone::from_e164(&e164).is_some_and(|phone| phone.is_textable());
                assert_eq!(is_textable, is_valid(&e164) || !is_known, "{e164}");
            }
        }
    }

    #[test]
    fn fictional_number_of_limited_area_code_is_textable() {
        for area in ["684", "671", "472"] {
            assert!(Phone::from_e164(&format!("+1{area}5550142")).is_some_and(|phone| phone.is_textable()), "{area}");
        }
    }
}
