//! The texts that need not say of which business they are, family by family, and why not. A place is a function; of the
//! queue's own rooms, a whole file.

/// Why, and where.
pub type Family = (&'static str, &'static [&'static str]);

/// Kinds of texts that by their nature know no business.
pub const FAMILIES: [Family; 6] = [
    (
        "the queue is one for all businesses; what is in it are ids",
        &[
            "shared/src/demo.rs::is_planned",
            "shared/src/gauge.rs::read",
            "shared/src/system/facts.rs::facts",
            "shared/src/tasks/claim.rs",
            "shared/src/tasks/queue.rs",
        ],
    ),
    (
        "a task or a provider names one row by its id, and whose it is is what is found out",
        &[
            "shared/src/account/client.rs::find",
            "shared/src/alert.rs::find",
            "shared/src/billing.rs::find",
            "shared/src/billing/event.rs::by_provider",
            "shared/src/checkout.rs::find",
            "shared/src/crew/notice.rs::tell",
            "shared/src/estimate/draw.rs::org_of",
            "shared/src/estimate/sign.rs::org_of",
            "shared/src/follow/run.rs::claim",
            "shared/src/hook/call.rs::due",
            "shared/src/incoming.rs::org_of_text",
            "shared/src/incoming/pictures.rs::waiting",
            "shared/src/invoice/complete.rs::pending",
            "shared/src/invoice/draw.rs::org_of",
            "shared/src/ledger/card.rs::waiting",
            "shared/src/ledger/receipt.rs::pending",
            "shared/src/message/delivery.rs::find",
            "shared/src/message/doubt.rs::find",
            "shared/src/message/send.rs::load",
            "shared/src/promise/due.rs::come_due",
            "shared/src/pulse.rs::due",
            "shared/src/push_device.rs::alive",
        ],
    ),
    (
        "found by what its holder alone has: a token, a key, the address they sign in with",
        &[
            "shared/src/account.rs::find_by_email",
            "shared/src/account/proof.rs::holder",
            "shared/src/account/proof.rs::prove",
            "shared/src/account/ticket.rs::find",
            "shared/src/account/ticket.rs::take",
            "shared/src/api_key.rs::find",
            "shared/src/link.rs::open",
            "shared/src/push_device.rs::add",
            "shared/src/push_device.rs::end_session",
            "shared/src/review/key.rs::owner",
            "shared/src/security/device.rs::is_known",
            "shared/src/session.rs::end",
            "shared/src/session.rs::find",
            "shared/src/session.rs::prove",
            "shared/src/session.rs::renew",
            "shared/src/session.rs::touch",
        ],
    ),
    (
        "the worker, or a restore, looks over all businesses for what is due",
        &[
            "shared/src/alert/tell.rs::due_orgs",
            "shared/src/audit/anchor.rs::due",
            "shared/src/audit/chain.rs::unchained",
            "shared/src/audit/verify.rs::businesses",
            "shared/src/billing/look.rs::plan",
            "shared/src/follow/sweep.rs::run",
            "shared/src/hook/call.rs::sweep",
            "shared/src/incoming/missed.rs::known",
            "shared/src/incoming/missed.rs::known_calls",
            "shared/src/message/delivery/early.rs::tidy",
            "shared/src/message/sweep.rs::find",
            "shared/src/metrics/recount/plan.rs::plan",
            "shared/src/metrics/recount/plan.rs::rules_changed",
            "shared/src/outbox.rs::freeze",
            "shared/src/outbox/doubt.rs",
            "shared/src/promise/due.rs::let_go",
            "shared/src/promise/due.rs::overlooked",
            "shared/src/pulse/failure.rs::look_at_worker",
            "shared/src/pulse/plan.rs::run",
        ],
    ),
    (
        "what is long over is forgotten, whose ever it was",
        &[
            "shared/src/account/proof.rs::prune",
            "shared/src/account/ticket.rs::prune",
            "shared/src/alert.rs::prune",
            "shared/src/hook/call.rs::prune",
            "shared/src/live.rs::prune",
            "shared/src/message/spend.rs::prune",
            "shared/src/push_device.rs::prune",
            "shared/src/security.rs::prune",
            "shared/src/security/device.rs::prune",
            "shared/src/session.rs::prune",
            "shared/src/trust_level/usage.rs::prune",
            "worker/src/housekeeping.rs::prune",
        ],
    ),
    (
        "who asked for a demo and what they pay before it is any business's: the install's and its operator's",
        &[
            "shared/src/billing/attempt.rs::forget_others",
            "shared/src/billing/attempt.rs::tell_of_two",
            "shared/src/billing/claim.rs::invite_again",
            "shared/src/demo_request.rs::find",
            "shared/src/demo_request.rs::goes_on",
            "shared/src/demo_request.rs::list",
            "shared/src/demo_request.rs::same",
        ],
    ),
];

/// Single texts, each with its reason. More than ten, and the rule is none (trust requirement 66).
pub const ALLOWED: [(&str, &str); 3] = [
    ("shared/src/billing/learn.rs::store", "what Stripe says of a subscription, which may be no business's yet"),
    ("shared/src/file.rs::is_named", "whether any row names an object of the storage, before it is removed"),
    ("shared/src/lead/hold.rs::of_one_network", "how much one network has sent to all businesses together"),
];
