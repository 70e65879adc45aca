//! For each index that stands for no key, a statement that uses it on one of the databases at least.

/// The table, and its indexes with the function that the statement stands in.
pub const USES: [(&str, &[(&str, &str)]); 72] = [
    ("account", &[("account_by_org", "shared/src/domain/tenancy/account/client.rs::list")]),
    (
        "account_ticket",
        &[
            ("account_ticket_by_account", "shared/src/domain/tenancy/account/one_time_token.rs::end_all"),
            ("account_ticket_by_expiry", "shared/src/domain/tenancy/account/one_time_token.rs::prune"),
        ],
    ),
    (
        "address_proof",
        &[
            ("address_proof_by_account", "shared/src/domain/tenancy/account/proof.rs::note"),
            ("address_proof_by_expiry", "shared/src/domain/tenancy/account/proof.rs::prune"),
        ],
    ),
    (
        "alert",
        &[
            ("alert_by_lead", "shared/src/domain/messaging/alert/manual.rs::not_to_be_texted"),
            ("alert_to_tell", "shared/src/domain/messaging/alert/notify.rs::due_orgs"),
        ],
    ),
    ("allocation", &[("allocation_by_invoice", "shared/src/domain/money/invoice/make.rs::remove")]),
    ("approval", &[("approval_uncopied", "shared/src/domain/money/estimate/sign.rs::org_of")]),
    (
        "audit_event",
        &[
            ("audit_event_by_subject", "shared/src/domain/intake/customer/import/undo.rs::UNTOUCHED"),
            ("audit_event_loose", "shared/src/domain/tenancy/audit/chain.rs::adopt_org"),
        ],
    ),
    ("backup", &[("backup_newest", "shared/src/ops/backup/log.rs::claim")]),
    ("billing_event", &[("billing_event_by_age", "shared/src/ops/subscription/event.rs::prune")]),
    (
        "booking_request",
        &[
            ("booking_request_by_lead", "shared/src/domain/intake/customer/import/undo.rs::remove"),
            ("booking_request_by_phone", "shared/src/domain/work/booking/request.rs::waiting_for"),
            ("booking_request_by_time", "shared/src/domain/work/booking/request.rs::is_over"),
        ],
    ),
    ("call", &[("call_by_customer", "shared/src/domain/intake/contact_point/set_aside.rs::heard")]),
    (
        "checkout",
        &[
            ("checkout_at_bank", "shared/src/domain/money/reconciliation.rs::transfers_under_way"),
            ("checkout_by_payment", "shared/src/domain/money/checkout/close.rs::change_account"),
            ("checkout_by_subject", "shared/src/domain/money/checkout/due.rs::offered"),
            ("checkout_open_by_lead", "shared/src/domain/money/checkout/close.rs::look_at_open"),
            ("checkout_refused", "shared/src/domain/money/checkout/payment_retry.rs::refused"),
        ],
    ),
    ("consent", &[("consent_by_customer", "shared/src/domain/intake/lead/consent.rs::about_offers")]),
    (
        "contact_proposal",
        &[
            ("contact_proposal_by_customer", "shared/src/domain/intake/contact_point/proposal.rs::of_typed"),
            ("contact_proposal_by_value", "shared/src/domain/intake/contact_point/proposal.rs::answered"),
        ],
    ),
    ("crew_change", &[("crew_change_untold", "shared/src/domain/work/crew/notice.rs::tell")]),
    ("crew_member", &[("crew_member_by_account", "shared/src/domain/tenancy/account/team.rs::join")]),
    (
        "customer",
        &[
            ("customer_by_name", "shared/src/domain/intake/customer.rs::count"),
            ("customer_newest", "shared/src/domain/intake/customer.rs::list"),
        ],
    ),
    (
        "customer_key",
        &[
            ("customer_key_by_customer", "shared/src/domain/intake/contact_point.rs::identifies"),
            ("customer_key_by_number", "shared/src/domain/messaging/sending_number/route.rs::last_reader"),
        ],
    ),
    ("customer_merge", &[("customer_merge_by_kept", "shared/src/domain/intake/customer/merge/undo.rs::merged_from")]),
    ("decision", &[("decision_by_lead", "shared/src/domain/messaging/automation/record.rs::of_lead")]),
    (
        "demo_request",
        &[
            ("demo_request_by_age", "shared/src/domain/intake/demo_request.rs::list"),
            ("demo_request_by_email", "shared/src/domain/intake/demo_request.rs::same"),
            ("demo_request_by_org", "shared/src/domain/intake/demo_request.rs::list"),
        ],
    ),
    ("erasure", &[("erasure_due", "shared/src/ops/erasure.rs::run_due")]),
    (
        "estimate",
        &[
            ("estimate_by_job", "shared/src/domain/money/estimate/change.rs::approved"),
            ("estimate_by_lead", "shared/src/domain/money/ledger/deposit.rs::deposits"),
        ],
    ),
    (
        "file",
        &[
            ("file_by_full_key", "shared/src/domain/work/file.rs::is_named"),
            ("file_by_job", "shared/src/domain/work/file.rs::has_photo"),
            ("file_by_lead", "shared/src/domain/work/file/list.rs::rows"),
            ("file_by_thumb_key", "shared/src/domain/work/file.rs::is_named"),
            ("file_photo_by_age", "shared/src/ops/retention/purge.rs::photos"),
        ],
    ),
    ("file_to_delete", &[("file_to_delete_due", "shared/src/ops/retention/files.rs::delete_due")]),
    (
        "follow_up",
        &[
            ("follow_up_by_lead", "shared/src/domain/messaging/followup/plan.rs::stop_talk"),
            ("follow_up_due", "shared/src/domain/messaging/followup/sweep.rs::find"),
        ],
    ),
    (
        "hook_call",
        &[
            ("hook_call_newest", "shared/src/ops/webhooks/call.rs::end_waiting"),
            ("hook_call_old", "shared/src/platform/db/slices.rs::delete_slice"),
            ("hook_call_waiting", "shared/src/ops/queue_metrics.rs::read"),
        ],
    ),
    ("idempotency", &[("idempotency_by_age", "shared/src/platform/db/slices.rs::delete_slice")]),
    ("install_mail", &[("install_mail_by_age", "shared/src/domain/tenancy/install_mail.rs::prune")]),
    ("invite", &[("invite_newest", "shared/src/domain/tenancy/account/invite.rs::replace")]),
    (
        "invoice",
        &[
            ("invoice_by_lead", "shared/src/domain/intake/customer/page.rs::with_money"),
            ("invoice_by_status", "shared/src/domain/money/invoice/list.rs::list"),
            ("invoice_newest", "shared/src/domain/money/invoice/list.rs::list"),
            ("invoice_unpaid", "shared/src/domain/money/invoice/dunning/tick.rs::unticked"),
        ],
    ),
    (
        "job",
        &[
            ("job_by_crew", "shared/src/domain/work/job/list.rs::list"),
            ("job_by_customer", "shared/src/domain/intake/customer.rs::summaries"),
            ("job_by_lead", "shared/src/domain/work/file.rs::find_for_crew"),
            ("job_by_status", "shared/src/domain/work/job/list.rs::list"),
            ("job_by_time", "shared/src/domain/work/booking/slots.rs::taken"),
            ("job_completed", "shared/src/domain/work/job/tiles.rs::tiles"),
            ("job_in_tray", "shared/src/domain/work/job/list.rs::total"),
            ("job_newest", "shared/src/domain/work/job/list.rs::list"),
            ("job_of_crew", "shared/src/domain/work/crew/feed.rs::calendar"),
        ],
    ),
    ("job_check", &[("job_check_by_job", "shared/src/domain/work/job/check.rs::list")]),
    ("job_cost", &[("job_cost_by_job", "shared/src/domain/work/job/cost.rs::add")]),
    ("job_note", &[("job_note_by_job", "shared/src/domain/work/job/note.rs::list")]),
    (
        "lead",
        &[
            ("lead_by_address", "shared/src/domain/intake/customer/duplicate.rs::at_one_address"),
            ("lead_by_customer", "shared/src/domain/messaging/alert/note.rs::note_doubt"),
            ("lead_by_email", "shared/src/domain/intake/customer/duplicate.rs::named_by_both"),
            ("lead_by_phone", "shared/src/domain/intake/customer/edit.rs::number"),
            ("lead_by_stage", "shared/src/domain/intake/lead/view/list.rs::list"),
            ("lead_newest", "shared/src/domain/intake/lead/view/list.rs::list"),
            ("lead_sums", "shared/src/domain/intake/lead/view/list.rs::total"),
        ],
    ),
    (
        "lead_touch",
        &[
            ("lead_touch_by_lead", "shared/src/domain/messaging/inbound/pictures.rs::store"),
            ("lead_touch_by_source", "shared/src/domain/intake/lead/quarantine.rs::lately"),
            ("lead_touch_by_time", "shared/src/domain/intake/lead/quarantine.rs::of_the_org"),
        ],
    ),
    ("live_event", &[("live_event_by_age", "shared/src/platform/db/slices.rs::delete_slice")]),
    (
        "message",
        &[
            ("message_by_customer", "shared/src/ops/tenant_data/removal.rs::letters"),
            ("message_by_lead", "shared/src/domain/work/file/list.rs::rows"),
            ("message_by_provider_id", "shared/src/domain/messaging/inbound/missed.rs::known"),
            ("message_by_receiver", "shared/src/domain/messaging/message/send/leaving.rs::sending"),
            ("message_in_doubt", "shared/src/ops/queue_metrics.rs::read"),
            ("message_of_event", "shared/src/domain/money/estimate/send.rs::sent_with"),
            ("message_unsettled", "shared/src/ops/queue_metrics.rs::read"),
            ("message_waiting_about", "shared/src/domain/money/estimate/finish.rs::stop_messages"),
        ],
    ),
    ("message_file", &[("message_file_by_file", "shared/src/domain/work/file/list.rs::rows")]),
    ("metric_answer", &[("metric_answer_by_day", "shared/src/domain/growth/metrics/figures/read.rs::read")]),
    ("metric_recount", &[("metric_recount_due", "shared/src/domain/growth/metrics/recount/plan.rs::plan")]),
    ("network_sign_in", &[("network_sign_in_failed", "shared/src/platform/throttle/spraying.rs::reserve")]),
    (
        "number_claim",
        &[
            ("number_claim_newest", "shared/src/domain/messaging/sending_number/claim.rs::begin"),
            ("number_claim_open", "shared/src/domain/messaging/sending_number/claim.rs::is_own_code"),
        ],
    ),
    ("org", &[("org_by_age", "shared/src/domain/tenancy/audit/anchor.rs::due")]),
    ("pace", &[("pace_sender", "shared/src/domain/messaging/message/send_rate/share.rs::lanes")]),
    ("passkey", &[("passkey_of_account", "shared/src/domain/tenancy/account/passkey.rs::begin_adding")]),
    (
        "passkey_challenge",
        &[("passkey_challenge_expires", "shared/src/domain/tenancy/account/passkey/challenge.rs::prune")],
    ),
    (
        "payment",
        &[
            ("payment_at_stripe", "shared/src/domain/money/reconciliation/compare.rs::BESIDE"),
            ("payment_by_charge", "shared/src/domain/money/reconciliation/look.rs::lines"),
            ("payment_by_day", "shared/src/domain/money/checkout/close.rs::rename"),
            ("payment_by_id", "shared/src/domain/money/ledger/receipt.rs::pending"),
            ("payment_by_lead", "shared/src/domain/money/checkout/payment_retry.rs::refused"),
            ("payment_by_refund", "shared/src/domain/money/ledger/card.rs::at_stripe"),
            ("payment_under_way", "shared/src/domain/money/reconciliation.rs::open_refunds"),
        ],
    ),
    (
        "photo",
        &[
            ("photo_by_age", "shared/src/ops/retention/purge.rs::count_photos"),
            ("photo_by_full_key", "shared/src/domain/work/file.rs::is_named"),
            ("photo_by_lead", "shared/src/domain/intake/lead/view/detail.rs::photos"),
            ("photo_by_thumb_key", "shared/src/domain/work/file.rs::is_named"),
        ],
    ),
    (
        "photo_upload",
        &[
            ("photo_upload_by_lead", "shared/src/domain/intake/photo_upload.rs::of_lead"),
            ("photo_upload_by_source", "shared/src/domain/intake/photo_upload/turn.rs::of_network"),
            ("photo_upload_in_turn", "shared/src/domain/intake/photo_upload/turn.rs::first_after"),
        ],
    ),
    ("price_item", &[("price_item_by_name", "shared/src/domain/money/price_book.rs::count")]),
    (
        "promise",
        &[
            ("promise_by_lead", "shared/src/domain/messaging/response_sla/history.rs::history"),
            ("promise_let_go", "shared/src/domain/messaging/response_sla/due.rs::let_go"),
            ("promise_to_watch", "shared/src/domain/messaging/response_sla/due.rs::overlooked"),
            ("promise_unanswered", "shared/src/domain/growth/kpi_pulse/todo.rs::people"),
        ],
    ),
    ("pulse_plan", &[("pulse_plan_due", "shared/src/domain/growth/kpi_pulse/plan.rs::run")]),
    (
        "push_device",
        &[
            ("push_device_by_account", "shared/src/domain/tenancy/account/proof.rs::revoke_credentials_before_proof"),
            ("push_device_by_id", "shared/src/domain/tenancy/push_device.rs::alive"),
            ("push_device_by_session", "shared/src/domain/tenancy/push_device.rs::end_session"),
        ],
    ),
    ("retention_run", &[("retention_run_newest", "shared/src/ops/retention.rs::nights")]),
    (
        "review",
        &[
            ("review_by_ask", "shared/src/domain/growth/review/standing.rs::get"),
            ("review_by_content", "shared/src/domain/growth/review/import.rs::count"),
            ("review_by_customer", "shared/src/domain/growth/review/sequence/seen.rs::look"),
            ("review_by_source", "shared/src/domain/growth/review/list.rs::count"),
            ("review_newest", "shared/src/domain/growth/review/list.rs::list"),
            ("review_unmatched", "shared/src/domain/growth/review/list.rs::count"),
        ],
    ),
    (
        "review_ask",
        &[
            ("review_ask_asked", "shared/src/domain/growth/review/list.rs::summary"),
            ("review_ask_begun", "shared/src/domain/growth/review/sequence.rs::day"),
            ("review_ask_by_customer", "shared/src/domain/growth/review/request.rs::last_asked"),
            ("review_ask_by_job", "shared/src/domain/growth/review/ask/ends.rs::job_reverted"),
            ("review_ask_by_lead", "shared/src/domain/growth/review/ask/cause.rs::without_job"),
            ("review_ask_by_state", "shared/src/domain/growth/review/ask/ends.rs::undone"),
            ("review_ask_newest", "shared/src/domain/growth/review/ask.rs::under_way"),
            ("review_ask_planned", "shared/src/domain/growth/review/sequence.rs::day"),
            ("review_ask_said", "shared/src/domain/growth/review/sequence.rs::day"),
        ],
    ),
    ("saved_card", &[("saved_card_by_customer", "shared/src/domain/intake/customer/merge.rs::move_all")]),
    ("security_tally", &[("security_tally_by_age", "shared/src/domain/tenancy/security.rs::prune")]),
    (
        "sending_contact",
        &[
            ("sending_contact_by_address", "shared/src/domain/messaging/sending_number.rs::settle"),
            ("sending_contact_of_person", "shared/src/domain/messaging/message/reconcile.rs::find"),
        ],
    ),
    ("sending_number", &[("sending_number_by_sender", "shared/src/domain/messaging/sending_number.rs::in_step")]),
    (
        "session",
        &[("session_by_account", "shared/src/domain/tenancy/account/proof.rs::revoke_credentials_before_proof")],
    ),
    (
        "slot_hold",
        &[
            ("slot_hold_by_age", "worker/src/housekeeping.rs::prune"),
            ("slot_hold_by_crew", "shared/src/domain/work/booking/hold.rs::make_room"),
        ],
    ),
    (
        "stripe_event",
        &[
            ("stripe_event_by_age", "shared/src/platform/db/slices.rs::delete_slice"),
            ("stripe_event_by_kind", "shared/src/domain/money/checkout/event.rs::may_be_disputed"),
            ("stripe_event_by_org", "shared/src/domain/tenancy/org/keys.rs::last_event_at"),
        ],
    ),
    (
        "stripe_transaction",
        &[("stripe_transaction_by_source", "shared/src/domain/money/reconciliation/compare.rs::BESIDE")],
    ),
    (
        "subscription",
        &[
            ("subscription_by_org", "shared/src/ops/subscription.rs::is_read_only"),
            ("subscription_by_request", "shared/src/domain/intake/demo_request.rs::find"),
        ],
    ),
    (
        "task",
        &[
            ("task_by_org", "shared/src/platform/tasks/view.rs::count"),
            ("task_charged", "shared/src/platform/tasks/queue.rs::innocents"),
            ("task_dead", "shared/src/platform/tasks/depth.rs::read"),
            ("task_dead_by_org", "shared/src/platform/tasks/view.rs::page"),
            ("task_done", "shared/src/ops/system_status/facts.rs::facts"),
            ("task_due", "shared/src/platform/tasks/claim.rs::line"),
            ("task_due_by_lane", "shared/src/platform/tasks/admission.rs::stalled"),
            ("task_live_by_subject", "shared/src/domain/messaging/followup/sweep.rs::find"),
            ("task_parked", "shared/src/platform/tasks/admission.rs::refill"),
            ("task_running", "shared/src/ops/system_status/facts.rs::facts"),
            ("task_scheduled", "shared/src/platform/tasks/claim.rs::admit"),
        ],
    ),
    ("text_reach", &[("text_reach_by_age", "shared/src/domain/messaging/message/send_budget.rs::prune")]),
    (
        "thread",
        &[
            ("thread_newest", "shared/src/domain/intake/customer.rs::summaries"),
            ("thread_unread", "shared/src/domain/messaging/conversation/inbox.rs::count"),
        ],
    ),
    ("unsent_key", &[("unsent_key_by_age", "shared/src/domain/tenancy/session/store_key.rs::prune")]),
    (
        "work_event",
        &[
            ("work_event_by_id", "shared/src/domain/money/invoice/complete.rs::pending"),
            ("work_event_by_job", "shared/src/domain/money/estimate/change/end.rs::taken_with"),
            ("work_event_by_lead", "shared/src/domain/intake/customer/merge/undo.rs::undo"),
        ],
    ),
];
