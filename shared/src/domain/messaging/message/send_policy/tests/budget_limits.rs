//! Limits of automatic texts and emails: of the day, of a number, of its exchange and of bookings by others.

use super::*;

#[test]
fn daily_budget_limits_only_rule_written_texts() {
    for budget in [0, 1, 100] {
        let sending = SendingSettings { daily_text_budget: budget, ..SendingSettings::default() };
        let why = format!("today's budget of {budget} automatic texts is used up");
        for kind in KINDS {
            let texts = |texts| SendBudgetUsage { texts, ..SendBudgetUsage::default() };
            let spent = SendContext { sending: &sending, spent: texts(budget), ..text(kind) };
            if WRITTEN_BY_RULES.contains(&kind) {
                assert_eq!(send_verdict(&spent, noon()), no(&why), "{kind:?}");
            } else {
                assert!(goes(&spent, noon()), "{kind:?}");
            }
            if budget > 0 {
                assert!(goes(&SendContext { spent: texts(budget - 1), ..spent }, noon()), "{kind:?}");
            }
        }
    }
}

#[test]
fn unanswered_number_and_exchange_have_automatic_text_limits() {
    let (number, exchange) = (
        SendBudgetUsage { to_number: 6, ..SendBudgetUsage::default() },
        SendBudgetUsage { in_exchange: 20, ..SendBudgetUsage::default() },
    );
    let whys = [
        (number, "number", "this number got 6 automatic texts today and never wrote back"),
        (exchange, "exchange", "20 new numbers with the same first digits were texted within an hour, as in a fraud"),
    ];
    for (spent, name, why) in whys {
        for kind in KINDS {
            let braked = SendContext { spent, ..text(kind) };
            let of_this_kind = WRITTEN_BY_RULES.contains(&kind) && name == "number";
            if of_this_kind || kind == MessageKind::AutoReply {
                let (verdict, evidence) = send_decision(&braked);
                assert_eq!((verdict, &evidence["brake"]), (no(why), &json!(name)), "{kind:?}");
            } else {
                assert!(goes(&braked, noon()), "{kind:?}");
            }
            assert!(
                goes(&SendContext { has_written: true, ..braked.clone() }, noon()),
                "{kind:?}: they are in conversation"
            );
            let inside = SendContext { by_form: false, ..braked };
            assert!(name == "number" || goes(&inside, noon()), "{kind:?}: it was typed into no form from outside");
        }
        let one_less = SendBudgetUsage {
            to_number: (spent.to_number - 1).max(0),
            in_exchange: (spent.in_exchange - 1).max(0),
            ..SendBudgetUsage::default()
        };
        assert!(goes(&SendContext { spent: one_less, ..text(MessageKind::AutoReply) }, noon()));
    }
    let stopped = SendContext { spent: number, opted_out: Some("stopped"), ..text(MessageKind::AutoReply) };
    assert!(may_send(&stopped, ALL, noon()).1.budget_limit().is_none(), "it was not the brake");
}

#[test]
fn unconfirmed_address_gets_at_most_six_automatic_emails_a_day() {
    let spent = |to_number| SendBudgetUsage { to_number, ..SendBudgetUsage::default() };
    let why = "this address got 6 automatic emails today and is not confirmed as the customer's";
    for kind in KINDS {
        let braked = SendContext { spent: spent(6), ..facts(kind, MessageChannel::Email) };
        if WRITTEN_BY_RULES.contains(&kind) {
            let (verdict, evidence) = send_decision(&braked);
            assert_eq!((verdict, &evidence["brake"]), (no(why), &json!("address")), "{kind:?}");
        } else {
            assert!(goes(&braked, noon()), "{kind:?}");
        }
        assert!(goes(&SendContext { spent: spent(5), ..braked.clone() }, noon()), "{kind:?}");
        assert!(goes(&SendContext { has_written: true, ..braked }, noon()), "{kind:?}: it is the customer's");
    }
}

#[test]
fn bookings_in_name_of_known_customer_have_separate_limits() {
    let known = SendContext { has_written: true, by_booking: true, ..text(MessageKind::Visit) };
    let of =
        |booked_to_number, by_bookings| SendBudgetUsage { by_bookings, booked_to_number, ..SendBudgetUsage::default() };
    let (own, all) = (
        no("they got 6 messages today about visits that others may have booked in their name"),
        no("today's 125 texts about visits that others may have booked are used up"),
    );
    assert!(goes(&SendContext { spent: of(5, 124), ..known.clone() }, noon()));
    let whys = [(of(6, 6), "bookings_to_one", own.clone()), (of(0, 125), "bookings", all)];
    for (spent, name, why) in whys {
        let (verdict, evidence) = send_decision(&SendContext { spent, ..known.clone() });
        assert_eq!((verdict, &evidence["brake"]), (why, &json!(name)));
        assert!(
            goes(&SendContext { spent, by_booking: false, ..known.clone() }, noon()),
            "{name}: who has shown to be them"
        );
    }
    let question = SendContext { has_written: true, by_booking: true, spent: of(6, 6), ..text(MessageKind::AutoReply) };
    assert!(goes(&question, noon()), "they are asked whether it was they");
    let sixth = SendBudgetUsage { to_number: 6, ..SendBudgetUsage::default() };
    let mail = SendContext {
        has_written: true,
        by_booking: true,
        spent: sixth,
        ..facts(MessageKind::Visit, MessageChannel::Email)
    };
    let (verdict, evidence) = send_decision(&mail);
    assert_eq!((verdict, &evidence["brake"]), (own, &json!("bookings_to_one")));
    assert!(goes(&SendContext { by_booking: false, ..mail }, noon()));
}
