//! For each index that stands for no key, a statement that uses it on one of the databases at least.

/// The table, and its indexes with the function that the statement stands in.
pub const USES: [(&str, &[(&str, &str)]); 72] = [
    ("account", &[("account_by_org", "shared/src/account/client.rs::list")]),
    (
        "account_ticket",
        &[
            ("account_ticket_by_account", "shared/src/account/ticket.rs::end_all"),
            ("account_ticket_by_expiry", "shared/src/account/ticket.rs::prune"),
        ],
    ),
    (
        "address_proof",
        &[
            ("address_proof_by_account", "shared/src/account/proof.rs::note"),
            ("address_proof_by_expiry", "shared/src/account/proof.rs::prune"),
        ],
    ),
    (
        "alert",
        &[
            ("alert_by_lead", "shared/src/alert/by_hand.rs::not_to_be_texted"),
            ("alert_to_tell", "shared/src/alert/tell.rs::due_orgs"),
        ],
    ),
    ("allocation", &[("allocation_by_invoice", "shared/src/invoice/make.rs::remove")]),
    ("approval", &[("approval_uncopied", "shared/src/estimate/sign.rs::org_of")]),
    (
        "audit_event",
        &[
            ("audit_event_by_subject", "shared/src/customer/import/undo.rs::UNTOUCHED"),
            ("audit_event_loose", "shared/src/audit/chain.rs::adopt_org"),
        ],
    ),
    ("backup", &[("backup_newest", "shared/src/backup/log.rs::claim")]),
    ("billing_event", &[("billing_event_by_age", "shared/src/billing/event.rs::prune")]),
    (
        "booking_request",
        &[
            ("booking_request_by_lead", "shared/src/customer/import/undo.rs::remove"),
            ("booking_request_by_phone", "shared/src/booking/request.rs::waiting_for"),
            ("booking_request_by_time", "shared/src/booking/request.rs::is_over"),
        ],
    ),
    ("call", &[("call_by_customer", "shared/src/contact_point/set_aside.rs::heard")]),
    (
        "checkout",
        &[
            ("checkout_at_bank", "shared/src/reconciliation.rs::transfers_under_way"),
            ("checkout_by_payment", "shared/src/checkout/close.rs::change_account"),
            ("checkout_by_subject", "shared/src/checkout/due.rs::offered"),
            ("checkout_open_by_lead", "shared/src/checkout/close.rs::look_at_open"),
            ("checkout_refused", "shared/src/checkout/chase.rs::refused"),
        ],
    ),
    ("consent", &[("consent_by_customer", "shared/src/lead/consent.rs::about_offers")]),
    (
        "contact_proposal",
        &[
            ("contact_proposal_by_customer", "shared/src/contact_point/proposal.rs::of_typed"),
            ("contact_proposal_by_value", "shared/src/contact_point/proposal.rs::answered"),
        ],
    ),
    ("crew_change", &[("crew_change_untold", "shared/src/crew/notice.rs::tell")]),
    ("crew_member", &[("crew_member_by_account", "shared/src/account/team.rs::join")]),
    (
        "customer",
        &[("customer_by_name", "shared/src/customer.rs::count"), ("customer_newest", "shared/src/customer.rs::list")],
    ),
    (
        "customer_key",
        &[
            ("customer_key_by_customer", "shared/src/contact_point.rs::identifies"),
            ("customer_key_by_number", "shared/src/sending_number/route.rs::last_reader"),
        ],
    ),
    ("customer_merge", &[("customer_merge_by_kept", "shared/src/customer/merge/undo.rs::merged_from")]),
    ("decision", &[("decision_by_lead", "shared/src/automation/record.rs::of_lead")]),
    (
        "demo_request",
        &[
            ("demo_request_by_age", "shared/src/demo_request.rs::list"),
            ("demo_request_by_email", "shared/src/demo_request.rs::same"),
            ("demo_request_by_org", "shared/src/demo_request.rs::list"),
        ],
    ),
    ("erasure", &[("erasure_due", "shared/src/erasure.rs::run_due")]),
    (
        "estimate",
        &[
            ("estimate_by_job", "shared/src/estimate/change.rs::approved"),
            ("estimate_by_lead", "shared/src/ledger/deposit.rs::deposits"),
        ],
    ),
    (
        "file",
        &[
            ("file_by_full_key", "shared/src/file.rs::is_named"),
            ("file_by_job", "shared/src/file.rs::has_photo"),
            ("file_by_lead", "shared/src/file/list.rs::rows"),
            ("file_by_thumb_key", "shared/src/file.rs::is_named"),
            ("file_photo_by_age", "shared/src/retention/purge.rs::photos"),
        ],
    ),
    ("file_to_delete", &[("file_to_delete_due", "shared/src/retention/files.rs::delete_due")]),
    (
        "follow_up",
        &[
            ("follow_up_by_lead", "shared/src/follow/plan.rs::stop_talk"),
            ("follow_up_due", "shared/src/follow/sweep.rs::find"),
        ],
    ),
    (
        "hook_call",
        &[
            ("hook_call_newest", "shared/src/hook/call.rs::end_waiting"),
            ("hook_call_old", "shared/src/db/slices.rs::delete_slice"),
            ("hook_call_waiting", "shared/src/gauge.rs::read"),
        ],
    ),
    ("idempotency", &[("idempotency_by_age", "shared/src/db/slices.rs::delete_slice")]),
    ("install_mail", &[("install_mail_by_age", "shared/src/install_mail.rs::prune")]),
    ("invite", &[("invite_newest", "shared/src/account/invite.rs::replace")]),
    (
        "invoice",
        &[
            ("invoice_by_lead", "shared/src/customer/page.rs::with_money"),
            ("invoice_by_status", "shared/src/invoice/list.rs::list"),
            ("invoice_newest", "shared/src/invoice/list.rs::list"),
            ("invoice_unpaid", "shared/src/invoice/dunning/tick.rs::unticked"),
        ],
    ),
    (
        "job",
        &[
            ("job_by_crew", "shared/src/job/list.rs::list"),
            ("job_by_customer", "shared/src/customer.rs::summaries"),
            ("job_by_lead", "shared/src/file.rs::find_for_crew"),
            ("job_by_status", "shared/src/job/list.rs::list"),
            ("job_by_time", "shared/src/booking/slots.rs::taken"),
            ("job_completed", "shared/src/job/tiles.rs::tiles"),
            ("job_in_tray", "shared/src/job/list.rs::total"),
            ("job_newest", "shared/src/job/list.rs::list"),
            ("job_of_crew", "shared/src/crew/feed.rs::calendar"),
        ],
    ),
    ("job_check", &[("job_check_by_job", "shared/src/job/check.rs::list")]),
    ("job_cost", &[("job_cost_by_job", "shared/src/job/cost.rs::add")]),
    ("job_note", &[("job_note_by_job", "shared/src/job/note.rs::list")]),
    (
        "lead",
        &[
            ("lead_by_address", "shared/src/customer/duplicate.rs::at_one_address"),
            ("lead_by_customer", "shared/src/alert/note.rs::note_doubt"),
            ("lead_by_email", "shared/src/customer/duplicate.rs::named_by_both"),
            ("lead_by_phone", "shared/src/customer/edit.rs::number"),
            ("lead_by_stage", "shared/src/lead/view/list.rs::list"),
            ("lead_newest", "shared/src/lead/view/list.rs::list"),
            ("lead_sums", "shared/src/lead/view/list.rs::total"),
        ],
    ),
    (
        "lead_touch",
        &[
            ("lead_touch_by_lead", "shared/src/incoming/pictures.rs::store"),
            ("lead_touch_by_source", "shared/src/lead/hold.rs::lately"),
            ("lead_touch_by_time", "shared/src/lead/hold.rs::of_the_org"),
        ],
    ),
    ("live_event", &[("live_event_by_age", "shared/src/db/slices.rs::delete_slice")]),
    (
        "message",
        &[
            ("message_by_customer", "shared/src/belongings/removal.rs::letters"),
            ("message_by_lead", "shared/src/file/list.rs::rows"),
            ("message_by_provider_id", "shared/src/incoming/missed.rs::known"),
            ("message_by_receiver", "shared/src/message/send/leaving.rs::sending"),
            ("message_in_doubt", "shared/src/gauge.rs::read"),
            ("message_of_event", "shared/src/estimate/send.rs::sent_with"),
            ("message_unsettled", "shared/src/gauge.rs::read"),
            ("message_waiting_about", "shared/src/estimate/finish.rs::stop_messages"),
        ],
    ),
    ("message_file", &[("message_file_by_file", "shared/src/file/list.rs::rows")]),
    ("metric_answer", &[("metric_answer_by_day", "shared/src/metrics/figures/read.rs::read")]),
    ("metric_recount", &[("metric_recount_due", "shared/src/metrics/recount/plan.rs::plan")]),
    ("network_sign_in", &[("network_sign_in_failed", "shared/src/throttle/spraying.rs::reserve")]),
    (
        "number_claim",
        &[
            ("number_claim_newest", "shared/src/sending_number/claim.rs::begin"),
            ("number_claim_open", "shared/src/sending_number/claim.rs::is_own_code"),
        ],
    ),
    ("org", &[("org_by_age", "shared/src/audit/anchor.rs::due")]),
    ("pace", &[("pace_sender", "shared/src/message/pace/share.rs::lanes")]),
    ("passkey", &[("passkey_of_account", "shared/src/account/passkey.rs::begin_adding")]),
    ("passkey_challenge", &[("passkey_challenge_expires", "shared/src/account/passkey/challenge.rs::prune")]),
    (
        "payment",
        &[
            ("payment_at_stripe", "shared/src/reconciliation/compare.rs::BESIDE"),
            ("payment_by_charge", "shared/src/reconciliation/look.rs::lines"),
            ("payment_by_day", "shared/src/checkout/close.rs::rename"),
            ("payment_by_id", "shared/src/ledger/receipt.rs::pending"),
            ("payment_by_lead", "shared/src/checkout/chase.rs::refused"),
            ("payment_by_refund", "shared/src/ledger/card.rs::at_stripe"),
            ("payment_under_way", "shared/src/reconciliation.rs::open_refunds"),
        ],
    ),
    (
        "photo",
        &[
            ("photo_by_age", "shared/src/retention/purge.rs::count_photos"),
            ("photo_by_full_key", "shared/src/file.rs::is_named"),
            ("photo_by_lead", "shared/src/lead/view/detail.rs::photos"),
            ("photo_by_thumb_key", "shared/src/file.rs::is_named"),
        ],
    ),
    (
        "photo_upload",
        &[
            ("photo_upload_by_lead", "shared/src/photo_upload.rs::of_lead"),
            ("photo_upload_by_source", "shared/src/photo_upload/turn.rs::of_network"),
            ("photo_upload_in_turn", "shared/src/photo_upload/turn.rs::first_after"),
        ],
    ),
    ("price_item", &[("price_item_by_name", "shared/src/price.rs::count")]),
    (
        "promise",
        &[
            ("promise_by_lead", "shared/src/promise/history.rs::history"),
            ("promise_let_go", "shared/src/promise/due.rs::let_go"),
            ("promise_to_watch", "shared/src/promise/due.rs::overlooked"),
            ("promise_unanswered", "shared/src/pulse/todo.rs::people"),
        ],
    ),
    ("pulse_plan", &[("pulse_plan_due", "shared/src/pulse/plan.rs::run")]),
    (
        "push_device",
        &[
            ("push_device_by_account", "shared/src/account/proof.rs::revoke_credentials_before_proof"),
            ("push_device_by_id", "shared/src/push_device.rs::alive"),
            ("push_device_by_session", "shared/src/push_device.rs::end_session"),
        ],
    ),
    ("retention_run", &[("retention_run_newest", "shared/src/retention.rs::nights")]),
    (
        "review",
        &[
            ("review_by_ask", "shared/src/review/standing.rs::get"),
            ("review_by_content", "shared/src/review/import.rs::count"),
            ("review_by_customer", "shared/src/review/sequence/seen.rs::look"),
            ("review_by_source", "shared/src/review/list.rs::count"),
            ("review_newest", "shared/src/review/list.rs::list"),
            ("review_unmatched", "shared/src/review/list.rs::count"),
        ],
    ),
    (
        "review_ask",
        &[
            ("review_ask_asked", "shared/src/review/list.rs::summary"),
            ("review_ask_begun", "shared/src/review/sequence.rs::day"),
            ("review_ask_by_customer", "shared/src/review/request.rs::last_asked"),
            ("review_ask_by_job", "shared/src/review/ask/ends.rs::job_reverted"),
            ("review_ask_by_lead", "shared/src/review/ask/cause.rs::without_job"),
            ("review_ask_by_state", "shared/src/review/ask/ends.rs::undone"),
            ("review_ask_newest", "shared/src/review/ask.rs::under_way"),
            ("review_ask_planned", "shared/src/review/sequence.rs::day"),
            ("review_ask_said", "shared/src/review/sequence.rs::day"),
        ],
    ),
    ("saved_card", &[("saved_card_by_customer", "shared/src/customer/merge.rs::move_all")]),
    ("security_tally", &[("security_tally_by_age", "shared/src/security.rs::prune")]),
    (
        "sending_contact",
        &[
            ("sending_contact_by_address", "shared/src/sending_number.rs::settle"),
            ("sending_contact_of_person", "shared/src/message/doubt.rs::find"),
        ],
    ),
    ("sending_number", &[("sending_number_by_sender", "shared/src/sending_number.rs::in_step")]),
    ("session", &[("session_by_account", "shared/src/account/proof.rs::revoke_credentials_before_proof")]),
    (
        "slot_hold",
        &[
            ("slot_hold_by_age", "worker/src/housekeeping.rs::prune"),
            ("slot_hold_by_crew", "shared/src/booking/hold.rs::make_room"),
        ],
    ),
    (
        "stripe_event",
        &[
            ("stripe_event_by_age", "shared/src/db/slices.rs::delete_slice"),
            ("stripe_event_by_kind", "shared/src/checkout/event.rs::may_be_disputed"),
            ("stripe_event_by_org", "shared/src/org/keys.rs::last_event_at"),
        ],
    ),
    ("stripe_transaction", &[("stripe_transaction_by_source", "shared/src/reconciliation/compare.rs::BESIDE")]),
    (
        "subscription",
        &[
            ("subscription_by_org", "shared/src/billing.rs::is_read_only"),
            ("subscription_by_request", "shared/src/demo_request.rs::find"),
        ],
    ),
    (
        "task",
        &[
            ("task_by_org", "shared/src/tasks/view.rs::count"),
            ("task_charged", "shared/src/tasks/queue.rs::innocents"),
            ("task_dead", "shared/src/tasks/depth.rs::read"),
            ("task_dead_by_org", "shared/src/tasks/view.rs::page"),
            ("task_done", "shared/src/system/facts.rs::facts"),
            ("task_due", "shared/src/tasks/claim.rs::line"),
            ("task_due_by_lane", "shared/src/tasks/admission.rs::stalled"),
            ("task_live_by_subject", "shared/src/follow/sweep.rs::find"),
            ("task_parked", "shared/src/tasks/admission.rs::refill"),
            ("task_running", "shared/src/system/facts.rs::facts"),
            ("task_scheduled", "shared/src/tasks/claim.rs::admit"),
        ],
    ),
    ("text_reach", &[("text_reach_by_age", "shared/src/message/spend.rs::prune")]),
    (
        "thread",
        &[
            ("thread_newest", "shared/src/customer.rs::summaries"),
            ("thread_unread", "shared/src/thread/inbox.rs::count"),
        ],
    ),
    ("unsent_key", &[("unsent_key_by_age", "shared/src/session/store_key.rs::prune")]),
    (
        "work_event",
        &[
            ("work_event_by_id", "shared/src/invoice/complete.rs::pending"),
            ("work_event_by_job", "shared/src/estimate/change/end.rs::taken_with"),
            ("work_event_by_lead", "shared/src/customer/merge/undo.rs::undo"),
        ],
    ),
];
