//! For each index that is not a key, a statement that uses it on at least one database.

pub const USES: [(&str, &[(&str, &str)]); 76] = [
    ("access_link", &[("access_link_by_id", "platform/src/access_link.rs::resolve_token")]),
    (
        "access_link_copy",
        &[
            ("access_link_copy_by_address", "shared/src/domain/intake/contact_point/sent_papers.rs::list_paper_copies"),
            ("access_link_copy_by_id", "platform/src/access_link.rs::resolve_token"),
        ],
    ),
    ("account", &[("account_by_org", "shared/src/domain/tenancy/account/client.rs::list")]),
    (
        "address_proof",
        &[
            ("address_proof_by_account", "shared/src/domain/tenancy/account/proof.rs::record_address_proof"),
            ("address_proof_by_expiry", "shared/src/domain/tenancy/account/proof.rs::prune_expired_proofs"),
        ],
    ),
    (
        "alert",
        &[
            ("alert_by_lead", "shared/src/domain/messaging/alert/manual.rs::remove_text_links"),
            ("alert_unsent", "shared/src/domain/messaging/alert/notify.rs::list_due_orgs"),
            ("alert_urgent", "shared/src/domain/growth/worklist/people.rs::list_emergencies"),
        ],
    ),
    ("approval", &[("approval_without_copy", "shared/src/domain/money/estimate/sign.rs::find_org_id")]),
    ("backup", &[("backup_newest", "shared/src/ops/backup/log.rs::claim_daily_backup")]),
    ("billing_event", &[("billing_event_by_age", "shared/src/ops/subscription/event.rs::prune_billing_events")]),
    (
        "booking_request",
        &[
            ("booking_request_by_lead", "shared/src/domain/intake/customer/import/undo.rs::delete_imported_customer"),
            ("booking_request_by_phone", "shared/src/domain/work/booking/request.rs::find_pending_by_phone"),
            ("booking_request_by_time", "shared/src/domain/work/booking/request/unproven_limits.rs::is_day_used_up"),
        ],
    ),
    (
        "call",
        &[
            ("call_by_customer", "shared/src/domain/intake/contact_point/set_aside.rs::list_last_inbound"),
            ("call_by_provider_id", "shared/src/domain/messaging/sending_number/route.rs::find_business_of_call"),
        ],
    ),
    (
        "checkout",
        &[
            ("checkout_by_id", "shared/src/domain/money/checkout.rs::find_by_id"),
            (
                "checkout_pending_bank",
                "shared/src/domain/money/reconciliation/nightly_run.rs::build_pending_transfer_tasks",
            ),
            ("checkout_by_payment", "shared/src/domain/money/checkout/close.rs::switch_account"),
            ("checkout_by_subject", "shared/src/domain/money/checkout/due.rs::load_payment_offer"),
            ("checkout_open_by_lead", "shared/src/domain/money/checkout/close.rs::enqueue_expiry_checks"),
            ("checkout_refused", "shared/src/domain/money/checkout/payment_retry.rs::filter_refused_customers"),
        ],
    ),
    ("consent", &[("consent_by_customer", "shared/src/domain/intake/lead/consent.rs::load_marketing_answers")]),
    (
        "contact_proposal",
        &[
            (
                "contact_proposal_by_customer",
                "shared/src/domain/intake/contact_point/proposal.rs::propose_typed_contact",
            ),
            ("contact_proposal_by_value", "shared/src/domain/intake/contact_point/proposal.rs::record_proposal_answer"),
        ],
    ),
    (
        "conversation",
        &[
            ("conversation_newest", "shared/src/views/customer.rs::load_summaries"),
            ("conversation_unread", "shared/src/domain/messaging/conversation/inbox.rs::count_conversations"),
            ("conversation_waiting", "shared/src/domain/growth/worklist/people.rs::list_conversations"),
        ],
    ),
    ("crew", &[("crew_by_id", "shared/src/domain/work/crew/notice.rs::notify_crew")]),
    ("crew_member", &[("crew_member_by_account", "shared/src/domain/tenancy/account/team.rs::set_crews")]),
    (
        "customer",
        &[
            ("customer_by_last_word", "shared/src/views/search/customers.rs::find_by_last_word"),
            ("customer_by_name", "shared/src/domain/growth/review/matching.rs::suggest_customers"),
            ("customer_newest", "shared/src/views/customer.rs::list"),
            ("customer_by_phone_end", "shared/src/views/search/customers.rs::find_by_phone_part"),
            ("customer_by_search", "shared/src/views/search/customers.rs::find_by_name_beginning"),
        ],
    ),
    (
        "customer_key",
        &[
            ("customer_key_by_customer", "shared/src/domain/intake/contact_point.rs::identifies_customer"),
            ("customer_key_by_number", "shared/src/domain/messaging/sending_number/route.rs::find_last_reader"),
        ],
    ),
    (
        "customer_merge",
        &[("customer_merge_by_kept", "shared/src/domain/intake/customer/merged_customers.rs::list_merged_from")],
    ),
    (
        "demo_request",
        &[
            ("demo_request_by_age", "shared/src/domain/intake/demo_request.rs::list"),
            ("demo_request_by_email", "shared/src/domain/intake/demo_request.rs::find_recent_duplicate"),
            ("demo_request_by_org", "shared/src/domain/intake/demo_request.rs::list"),
        ],
    ),
    (
        "erasure",
        &[
            ("erasure_by_customer", "shared/src/ops/retention/purge/contacts.rs::purge_contacts"),
            ("erasure_due", "shared/src/ops/erasure.rs::run_due_erasures"),
        ],
    ),
    (
        "estimate",
        &[
            ("estimate_by_id", "shared/src/domain/money/estimate/render.rs::find_org_id"),
            ("estimate_approved", "shared/src/domain/growth/worklist/records.rs::list_approved_estimates"),
            ("estimate_by_job", "shared/src/domain/work/job.rs::refresh_changes_amount"),
            ("estimate_by_lead", "shared/src/domain/money/ledger/deposit.rs::list_deposits"),
        ],
    ),
    (
        "file",
        &[
            ("file_by_full_key", "shared/src/domain/work/file.rs::is_key_referenced"),
            ("file_by_job", "shared/src/domain/work/file.rs::has_photo"),
            ("file_by_lead", "shared/src/domain/work/file/list.rs::load_file_rows"),
            ("file_by_thumb_key", "shared/src/domain/work/file.rs::is_key_referenced"),
            ("file_photo_by_age", "shared/src/ops/retention/purge/photos.rs::purge_photos"),
        ],
    ),
    ("file_to_delete", &[("file_to_delete_due", "shared/src/ops/retention/files.rs::delete_due_files")]),
    (
        "follow_up",
        &[
            ("follow_up_by_id", "shared/src/domain/messaging/followup/run.rs::claim_step"),
            ("follow_up_by_lead", "shared/src/domain/messaging/followup/plan.rs::cancel_on_conversation"),
            ("follow_up_due", "shared/src/domain/messaging/followup/sweep.rs::list_stranded_steps"),
        ],
    ),
    ("idempotency", &[("idempotency_by_age", "platform/src/db/batched_delete.rs::delete_slice")]),
    ("install_mail", &[("install_mail_by_age", "shared/src/domain/tenancy/install_mail.rs::list_old_mail")]),
    ("invite", &[("invite_newest", "shared/src/domain/tenancy/account/invite.rs::revoke_duplicates")]),
    (
        "invoice",
        &[
            ("invoice_by_id", "shared/src/domain/money/invoice/render.rs::find_org_id"),
            ("invoice_by_due_day", "shared/src/domain/money/invoice/list.rs::list"),
            ("invoice_by_total", "shared/src/domain/money/invoice/list.rs::list"),
            ("invoice_by_lead", "shared/src/views/customer/page.rs::list_leads_with_money"),
            ("invoice_by_status", "shared/src/domain/money/invoice/list.rs::list"),
            ("invoice_newest", "shared/src/domain/money/invoice/list.rs::list"),
            ("invoice_unpaid", "shared/src/domain/money/invoice/dunning/unreminded.rs::list_unreminded"),
        ],
    ),
    (
        "job",
        &[
            ("job_by_crew", "shared/src/views/job/list.rs::list"),
            ("job_by_customer", "shared/src/views/customer.rs::load_summaries"),
            ("job_by_lead", "shared/src/domain/work/file.rs::find_for_crew"),
            ("job_by_status", "shared/src/views/job/list.rs::list"),
            ("job_by_time", "shared/src/domain/work/booking/slots.rs::load_taken_times"),
            ("job_completed", "shared/src/domain/work/job/tiles.rs::load_tiles"),
            ("job_unscheduled", "shared/src/views/job/list.rs::load_total"),
            ("job_newest", "shared/src/views/job/list.rs::list"),
            ("job_by_crew_newest", "shared/src/views/crew_calendar.rs::render_crew_calendar"),
        ],
    ),
    ("job_check", &[("job_check_by_job", "shared/src/domain/work/job/check.rs::list")]),
    ("job_cost", &[("job_cost_by_job", "shared/src/domain/work/job/cost.rs::add_cost")]),
    ("job_note", &[("job_note_by_job", "shared/src/domain/work/job/note.rs::list")]),
    ("known_device", &[("known_device_by_token", "shared/src/domain/tenancy/security/device.rs::is_known_device")]),
    (
        "lead",
        &[
            ("lead_by_creation", "shared/src/views/lead/list.rs::list"),
            ("lead_by_owner", "shared/src/views/lead/list.rs::list"),
            ("lead_by_source", "shared/src/views/lead/list.rs::list"),
            ("lead_by_value", "shared/src/views/lead/list.rs::list"),
            ("lead_by_address", "shared/src/domain/intake/customer/duplicate.rs::list_same_address_customers"),
            ("lead_by_customer", "shared/src/domain/messaging/alert/rule_alerts.rs::alert_possible_opt_out"),
            ("lead_by_email", "shared/src/domain/intake/customer/duplicate.rs::list_shared_contacts"),
            ("lead_by_phone", "shared/src/domain/intake/customer/edit.rs::update_phone"),
            ("lead_held", "shared/src/domain/growth/worklist/people.rs::list_held_requests"),
            ("lead_unquoted", "shared/src/domain/growth/worklist/people.rs::list_unquoted_leads"),
            ("lead_by_stage", "shared/src/views/lead/list.rs::list"),
            ("lead_newest", "shared/src/views/lead/list.rs::list"),
            ("lead_sums", "shared/src/views/lead/list.rs::load_total"),
        ],
    ),
    (
        "lead_inquiry",
        &[
            ("lead_inquiry_by_id", "shared/src/domain/intake/lead/stored_lead.rs::find_inquiry"),
            ("lead_inquiry_by_source", "shared/src/domain/intake/lead/quarantine.rs::count_recent_from_source"),
            ("lead_inquiry_by_time", "shared/src/domain/intake/lead/quarantine.rs::count_org_requests"),
        ],
    ),
    (
        "message",
        &[
            ("message_by_customer", "shared/src/ops/tenant_data/removal.rs::collect_email_ids"),
            ("message_by_id", "shared/src/domain/messaging/message/send/load.rs::load_message_row"),
            ("message_by_lead", "shared/src/domain/work/file/list.rs::load_file_rows"),
            ("message_by_provider_id", "shared/src/domain/messaging/inbound/catch_up.rs::find_known_texts"),
            ("message_by_receiver", "shared/src/domain/messaging/message/send/inflight.rs::list_inflight"),
            ("message_unconfirmed", "shared/src/ops/queue_metrics.rs::load_queue_gauges"),
            ("message_by_event", "shared/src/domain/money/estimate/send.rs::list_sent_messages"),
            ("message_unsent_texts", "shared/src/domain/messaging/message/sms_link.rs::count_unregistered_texts"),
            ("message_unsettled", "shared/src/ops/queue_metrics.rs::load_queue_gauges"),
            ("message_waiting_about", "shared/src/domain/money/estimate/finish.rs::cancel_messages"),
        ],
    ),
    ("message_file", &[("message_file_by_file", "shared/src/domain/work/file/list.rs::load_file_rows")]),
    (
        "metric_answer",
        &[
            ("metric_answer_by_day", "shared/src/domain/growth/metrics/figures/read.rs::load_inputs"),
            ("metric_answer_waiting", "shared/src/domain/growth/worklist/people.rs::list_unanswered_leads"),
        ],
    ),
    (
        "metric_recount",
        &[("metric_recount_due", "shared/src/domain/growth/metrics/recompute/plan.rs::enqueue_due_recomputes")],
    ),
    ("network_sign_in", &[("network_sign_in_failed", "platform/src/throttle/spraying.rs::set_network_delay")]),
    (
        "number_claim",
        &[
            ("number_claim_by_id", "shared/src/domain/messaging/sending_number/claim.rs::find_due_code"),
            ("number_claim_newest", "shared/src/domain/messaging/sending_number/claim.rs::create_claim"),
            ("number_claim_open", "shared/src/domain/messaging/sending_number/claim.rs::is_verification_text"),
        ],
    ),
    (
        "offline_store_key",
        &[("offline_store_key_by_age", "shared/src/domain/tenancy/session/store_key.rs::prune_unused_keys")],
    ),
    (
        "one_time_token",
        &[
            ("one_time_token_by_account", "shared/src/domain/tenancy/account/one_time_token.rs::revoke_all_tokens"),
            ("one_time_token_by_expiry", "shared/src/domain/tenancy/account/one_time_token.rs::prune_expired_tokens"),
        ],
    ),
    ("org", &[("org_by_age", "shared/src/domain/tenancy/audit/anchor.rs::list_orgs_due_for_anchor")]),
    ("passkey", &[("passkey_by_account", "shared/src/domain/tenancy/account/passkey.rs::begin_registration")]),
    (
        "passkey_challenge",
        &[(
            "passkey_challenge_expires",
            "shared/src/domain/tenancy/account/passkey/challenge.rs::prune_expired_challenges",
        )],
    ),
    (
        "payment",
        &[
            ("payment_at_stripe", "shared/src/domain/money/reconciliation/compare.rs::COMPARISON_SQL"),
            ("payment_by_charge", "shared/src/domain/money/ledger/stripe_fields.rs::store_payout"),
            ("payment_by_day", "shared/src/domain/money/ledger/stripe_fields.rs::rename_account"),
            ("payment_by_id", "shared/src/domain/money/ledger/receipt.rs::find_pending_receipt"),
            ("payment_by_lead", "shared/src/domain/money/checkout/payment_retry.rs::filter_refused_customers"),
            ("payment_by_refund", "shared/src/domain/money/ledger/card.rs::find_stripe_payment"),
            ("payment_pending", "shared/src/domain/money/reconciliation/nightly_run.rs::build_open_refund_tasks"),
        ],
    ),
    (
        "payment_allocation",
        &[("payment_allocation_by_invoice", "shared/src/domain/money/invoice/invoice_draft.rs::delete_draft")],
    ),
    ("pending_crew_notice", &[("pending_crew_notice_unsent", "shared/src/domain/work/crew/notice.rs::notify_crew")]),
    (
        "photo",
        &[
            ("photo_by_age", "shared/src/ops/retention/purge/photos.rs::count_photos"),
            ("photo_by_full_key", "shared/src/domain/work/file.rs::is_key_referenced"),
            ("photo_by_lead", "shared/src/domain/intake/lead/stored_lead.rs::list_photos"),
            ("photo_by_thumb_key", "shared/src/domain/work/file.rs::is_key_referenced"),
        ],
    ),
    (
        "photo_upload",
        &[
            ("photo_upload_by_lead", "shared/src/domain/intake/photo_upload.rs::count_by_lead"),
            ("photo_upload_by_source", "shared/src/domain/intake/photo_upload/round_robin.rs::next_turn_of_network"),
            ("photo_upload_queue", "shared/src/domain/intake/photo_upload/round_robin.rs::find_first_after"),
        ],
    ),
    ("price_item", &[("price_item_by_name", "shared/src/domain/money/price_book.rs::count_items")]),
    ("pulse", &[("pulse_by_id", "shared/src/domain/growth/kpi_pulse.rs::find_due_pulse")]),
    ("pulse_plan", &[("pulse_plan_due", "shared/src/domain/growth/kpi_pulse/plan.rs::enqueue_due_pulses")]),
    (
        "push_device",
        &[
            ("push_device_by_account", "shared/src/domain/tenancy/push_device.rs::delete_other_devices"),
            ("push_device_by_id", "shared/src/domain/tenancy/push_device.rs::find_active_device"),
            ("push_device_by_session", "shared/src/domain/tenancy/push_device.rs::delete_session_device"),
        ],
    ),
    ("retention_run", &[("retention_run_newest", "shared/src/ops/retention.rs::list_nights")]),
    (
        "review",
        &[
            ("review_by_request", "shared/src/domain/growth/review/request_list.rs::get_request"),
            ("review_by_content", "shared/src/domain/growth/review/import.rs::count_same_content"),
            ("review_by_customer", "shared/src/domain/growth/review/sequence/eligibility.rs::load_eligibility"),
            ("review_by_source", "shared/src/domain/growth/review/list.rs::count_reviews"),
            ("review_low_unanswered", "shared/src/domain/growth/worklist/records.rs::list_low_reviews"),
            ("review_newest", "shared/src/domain/growth/review/list.rs::list_reviews"),
            ("review_unmatched", "shared/src/domain/growth/review/list.rs::count_reviews"),
        ],
    ),
    ("review_key", &[("review_key_by_hash", "shared/src/domain/growth/review/key.rs::find_org_by_key")]),
    (
        "review_request",
        &[
            ("review_request_asked", "shared/src/domain/growth/review/list.rs::load_summary"),
            ("review_request_begun", "shared/src/domain/growth/review/sequence.rs::load_daily_usage"),
            ("review_request_by_customer", "shared/src/domain/growth/review/request.rs::find_last_asked_at"),
            ("review_request_by_job", "shared/src/domain/growth/review/request_lifecycle/ends.rs::on_job_reverted"),
            (
                "review_request_by_lead",
                "shared/src/domain/growth/review/request_lifecycle/cause.rs::find_customer_without_job",
            ),
            ("review_request_by_state", "shared/src/domain/growth/review/request_lifecycle/ends.rs::on_event_undone"),
            ("review_request_newest", "shared/src/domain/growth/review/request_lifecycle.rs::list_open_requests"),
            ("review_request_planned", "shared/src/domain/growth/review/sequence.rs::load_daily_usage"),
            ("review_request_by_household", "shared/src/domain/growth/review/sequence.rs::load_daily_usage"),
        ],
    ),
    ("saved_card", &[("saved_card_by_customer", "shared/src/ops/customer_merge.rs::move_rows")]),
    ("security_counter", &[("security_counter_by_age", "shared/src/domain/tenancy/security.rs::prune_tallies")]),
    ("send_rate", &[("send_rate_by_sender", "shared/src/domain/messaging/message/send_rate/share.rs::list_lanes")]),
    (
        "sending_contact",
        &[
            ("sending_contact_by_address", "shared/src/domain/messaging/sending_number/route.rs::find_last_writer"),
            ("sending_contact_by_recipient", "shared/src/domain/messaging/message/reconcile.rs::find_unconfirmed"),
        ],
    ),
    (
        "sending_number",
        &[("sending_number_by_sender", "shared/src/domain/messaging/sending_number.rs::sync_messaging_service")],
    ),
    ("session", &[("session_by_account", "shared/src/domain/tenancy/session.rs::revoke_sessions_except")]),
    (
        "sla",
        &[
            ("sla_by_id", "shared/src/domain/messaging/response_sla/due.rs::on_due"),
            ("sla_by_lead", "shared/src/domain/messaging/response_sla/history.rs::load_promise_history"),
            ("sla_released", "shared/src/domain/messaging/response_sla/due.rs::list_released_expired"),
            ("sla_warning_due", "shared/src/domain/messaging/response_sla/due.rs::list_unchecked_promises"),
            ("sla_unanswered", "shared/src/domain/growth/worklist/people.rs::list_promised"),
        ],
    ),
    (
        "slot_hold",
        &[
            ("slot_hold_by_age", "shared/src/domain/work/booking/hold.rs::prune_expired_holds"),
            ("slot_hold_by_crew", "shared/src/domain/work/booking/hold_limits.rs::count_open_holds"),
        ],
    ),
    (
        "sms_recipient_window",
        &[(
            "sms_recipient_window_by_age",
            "shared/src/domain/messaging/message/send_budget.rs::prune_reached_recipients",
        )],
    ),
    (
        "stripe_event",
        &[
            ("stripe_event_by_age", "platform/src/db/batched_delete.rs::delete_slice"),
            ("stripe_event_by_kind", "shared/src/domain/money/checkout/event.rs::has_dispute_events"),
            ("stripe_event_by_org", "shared/src/domain/tenancy/org/keys.rs::last_event_at"),
        ],
    ),
    (
        "stripe_transaction",
        &[("stripe_transaction_by_source", "shared/src/domain/money/reconciliation/compare.rs::COMPARISON_SQL")],
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
            ("task_by_org", "platform/src/tasks/view.rs::count_tasks"),
            ("task_crashed", "platform/src/tasks/queue.rs::count_exonerated"),
            ("task_dead", "platform/src/tasks/depth.rs::load_queue_depth"),
            ("task_dead_by_org", "platform/src/tasks/view.rs::load_page"),
            ("task_done", "shared/src/ops/system_status/facts.rs::load_system_facts"),
            ("task_due", "platform/src/tasks/claim.rs::load_due_head"),
            ("task_due_by_lane", "platform/src/tasks/admission.rs::list_stalled_lanes"),
            ("task_live_by_subject", "shared/src/domain/messaging/followup/sweep.rs::list_stranded_steps"),
            ("task_parked", "platform/src/tasks/admission.rs::promote_parked"),
            ("task_running", "shared/src/ops/system_status/facts.rs::load_system_facts"),
            ("task_scheduled", "platform/src/tasks/claim.rs::admit_due"),
        ],
    ),
    (
        "webhook_delivery",
        &[
            ("webhook_delivery_by_id", "shared/src/ops/webhooks/delivery.rs::load_due_delivery"),
            ("webhook_delivery_newest", "shared/src/ops/webhooks/delivery.rs::fail_pending_deliveries"),
            ("webhook_delivery_by_age", "platform/src/db/batched_delete.rs::delete_slice"),
            ("webhook_delivery_waiting", "shared/src/ops/queue_metrics.rs::load_queue_gauges"),
        ],
    ),
    (
        "work_event",
        &[
            ("work_event_by_id", "shared/src/domain/money/invoice/complete.rs::find_completed_job"),
            ("work_event_by_job", "shared/src/domain/money/estimate/change/end.rs::list_withdrawn_by_event"),
            ("work_event_by_lead", "shared/src/ops/customer_merge/undo.rs::restore_both_records"),
        ],
    ),
    (
        "work_item_mark",
        &[
            ("work_item_mark_done", "shared/src/domain/growth/worklist/marks.rs::list_done"),
            ("work_item_mark_snoozed", "shared/src/domain/growth/worklist/marks.rs::list_snoozed"),
        ],
    ),
];
