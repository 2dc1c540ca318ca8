//! End to end: MCP clients → thin process → daemon → extension → a real Chromium, and back.

mod acting;
mod adversary;
mod asking;
mod bad_input;
mod composing;
mod deeper;
mod doctor;
mod elsewhere;
mod examples;
mod extracting;
mod figures;
mod first_run;
mod gross;
mod inspect;
mod leases;
mod leaves;
mod life;
mod logs;
mod loosening;
mod lying_daemon;
mod lying_tries;
mod measuring;
mod mocking;
mod options;
mod other_clients;
mod page_tools;
mod pairing;
mod panel;
mod papers;
mod person;
mod pictures;
mod profiles;
mod quiet;
mod reading;
mod recovery;
mod rules;
mod saving;
mod secret;
mod secret_leave;
mod secrets;
mod semantic;
mod sharing;
mod shield;
mod storing;
mod transcripts;
mod trying;

use pillion_e2e::{Test, run, tests, tests_over_cdp};

const TESTS: &[Test] = tests![
    // Their lists of tabs want a browser where nobody was before.
    examples::every_tool_has_an_example_of_a_real_run,
    transcripts::ten_tasks_read_as_planned,
    transcripts::two_tasks_wait_for_the_user,
    reading::a_form_reads_as_an_outline,
    reading::closed_roots_and_frames_two_sites_deep_are_in_place,
    reading::a_hostile_page_is_read_and_pressed,
    reading::a_page_of_20_000_elements_is_cut_and_searched,
    reading::a_table_folds_and_any_row_is_one_call_away,
    reading::text_is_what_a_reader_sees,
    composing::steps_run_in_order_and_beside_each_other,
    composing::a_batch_ends_with_a_failure_a_dialog_or_its_client,
    composing::what_happened_meanwhile_is_told_once,
    composing::one_tool_with_a_command_line_does_everything,
    composing::markdown_and_the_article_keep_their_form,
    composing::a_picture_shows_refs_that_the_page_does_not,
    reading::a_screenshot_is_a_picture_and_the_tab_stays_behind,
    acting::a_click_answers_what_happened,
    acting::typing_is_read_back,
    acting::every_kind_of_field_is_filled,
    acting::what_a_page_takes_back_was_not_filled,
    acting::a_request_whose_body_nobody_reads_holds_nothing_up,
    acting::files_reach_inputs_and_buttons_that_make_one,
    elsewhere::files_are_those_of_the_agents_machine,
    acting::hover_drag_and_scroll,
    acting::frames_two_sites_deep_are_filled_and_pressed,
    acting::waiting_ends_with_the_event,
    acting::evaluate_answers_as_the_console_does,
    acting::dialogs_are_told_and_answered,
    acting::history_reload_and_new_windows,
    sharing::two_agents_work_at_the_same_time,
    sharing::another_agents_tab_is_locked,
    sharing::background_tabs_stay_in_the_background,
    leases::a_tab_is_released_claimed_and_given,
    leases::a_tab_given_to_the_user_is_out_of_reach,
    leases::what_a_vanished_agent_left_is_claimed_with_every_field_intact,
    bad_input::tools_and_arguments_that_do_not_exist,
    bad_input::pages_that_cannot_be_opened,
    bad_input::a_title_cannot_pose_as_our_own_words,
    bad_input::a_page_that_never_answers,
    bad_input::a_page_that_loops_for_ever,
    bad_input::an_element_that_flees_is_never_another_one,
    bad_input::covered_disabled_and_gone,
    bad_input::a_tab_closed_in_mid_call,
    bad_input::a_cancelled_call_ends,
    recovery::a_killed_worker,
    recovery::a_killed_extension_process,
    recovery::a_killed_daemon,
    recovery::a_daemon_killed_during_a_click,
    recovery::a_killed_browser,
    gross::too_much_of_anything_is_cut_in_time,
    gross::marks_in_names_turn_nothing_around,
    gross::redirects_without_end_are_a_failure,
    logs::requests_are_listed_without_the_debugger,
    logs::since_clear_and_wrong_ids,
    logs::the_console_is_replayed_and_grouped,
    logs::stacks_are_those_of_the_sources,
    logs::bodies_are_kept_once_they_are_asked_for,
    logs::a_har_file_is_written,
    logs::floods_streams_and_loops_end_in_time,
    logs::nothing_is_lost_when_the_worker_dies,
    logs::two_tabs_have_logs_of_their_own,
    measuring::an_audit_reaches_all_frames_and_leaves_nothing,
    measuring::a_load_is_measured_once_the_person_said_yes,
    measuring::a_session_is_told_of_its_own_connections,
    inspect::styles_and_box_need_no_debugger,
    inspect::rules_come_strongest_first_with_their_places,
    inspect::listeners_have_file_and_line,
    inspect::frames_and_closed_roots_are_inspected,
    inspect::what_cannot_be_inspected_says_why,
    asking::a_sign_in_ends_with_the_page_or_with_a_click,
    asking::a_refusal_and_an_expiry_are_told_apart,
    asking::a_choice_a_yes_and_a_tab_are_picked_by_hand,
    asking::an_element_is_pointed_at_and_nothing_is_left_in_the_page,
    asking::an_element_in_a_frame_of_another_site_is_pointed_at,
    asking::an_ask_outlives_worker_and_daemon,
    asking::an_unknown_agent_waits_for_its_first_contact,
    asking::a_notification_says_no_word_of_the_agents,
    secret::a_login_is_filled_and_the_value_is_nowhere,
    secret::a_secret_goes_nowhere_else,
    secret::each_check_holds_against_a_lying_daemon,
    secret_leave::an_odd_field_and_a_further_site_need_a_click,
    secret_leave::code_on_a_site_with_a_secret_is_asked_for,
    secrets::no_tool_lets_a_planted_secret_out,
    profiles::equal_chrome_ids_in_two_profiles_are_two_tabs,
    profiles::profiles_that_come_back_in_any_order_keep_names_and_numbers,
    profiles::a_number_never_means_the_tab_that_got_its_chrome_id,
    life::a_tab_that_chrome_put_to_sleep_keeps_its_number,
    life::an_extension_updated_during_work,
    life::a_killed_extension_process_with_the_popup_open,
    life::a_machine_that_slept_during_a_call,
    life::one_slow_page_slows_nobody_else,
    life::a_client_that_vanished_in_a_form_leaves_it_to_the_next_one,
    first_run::it_opens_once_shows_the_way_and_loosens_nothing,
    options::everything_is_set_by_hand_and_a_reset_pairs_anew,
    panel::calls_prompts_and_rules_are_in_the_side_panel,
    panel::a_prompt_is_answered_by_nobody_but_the_person,
    person::the_popup_finds_stops_and_lets_go_on,
    person::one_click_lets_agents_into_a_profile_and_a_switch_shares_a_tab,
    pairing::a_code_typed_in_the_popup_lets_an_agent_work,
    pairing::a_copied_profile_becomes_one_of_its_own,
    rules::an_act_on_an_ask_site_waits_for_the_person_and_happens_once,
    rules::a_site_that_is_only_read_gets_neither_input_nor_effects,
    rules::a_never_site_is_neither_reached_nor_seen,
    rules::a_stop_ends_a_running_batch_at_once,
    loosening::another_extension_is_allowed_by_a_click_only,
    adversary::web_pages_do_not_reach_the_daemon,
    adversary::another_extension_with_a_forged_origin_gets_no_further_than_its_guess,
    adversary::a_page_that_makes_noise_and_fakes_our_events_harms_nobody,
    adversary::a_squatter_on_the_port_learns_a_hello_and_changes_nothing,
    lying_daemon::rules_and_approvals_are_out_of_a_lying_daemons_reach,
    quiet::another_extensions_frame_in_a_page_is_no_end,
    quiet::quiet_mode_acts_through_the_page_and_says_so,
    leaves::always_on_this_site_covers_acts_and_nothing_else,
    leaves::what_was_allowed_is_shown_and_taken_back_by_hand,
    pictures::frames_of_never_sites_are_painted_over,
    pictures::a_frame_that_moves_is_in_no_picture,
    semantic::a_lying_daemon_presses_only_what_was_shown,
    semantic::a_list_is_one_question_and_each_act_of_it_passes_once,
    semantic::filling_dragging_and_frames_on_a_site_that_asks,
    shield::an_act_waits_for_the_user_and_says_so,
    shield::the_user_s_press_in_the_moment_of_an_act_is_held_off,
    shield::escape_three_times_gives_the_tab_back,
    shield::the_shield_is_in_no_picture_and_no_outline,
    shield::take_over_and_a_page_that_tears_the_shield_off,
    lying_daemon::a_daemon_that_lies_gets_only_what_the_table_allows,
    trying::a_patch_is_read_back_and_rolled_back_in_any_order,
    trying::what_cannot_be_patched_says_why_and_leaves_nothing,
    trying::all_is_taken_back_when_the_tab_is_let_go,
    trying::a_tab_believes_what_it_is_told,
    trying::overrides_that_were_lost_are_told_once,
    mocking::the_first_rule_that_fits_answers_and_is_counted,
    mocking::no_request_is_left_waiting_when_something_dies,
    storing::stores_are_listed_read_written_and_emptied,
    storing::what_cannot_be_stored_says_why,
    storing::names_are_told_on_a_site_that_is_only_read_and_values_by_approval,
    saving::downloads_are_matched_waited_for_and_hashed,
    saving::a_page_becomes_a_file_unless_a_closed_site_shows,
    deeper::an_overview_is_state_outline_and_troubles,
    deeper::a_baseline_tells_what_became_different_over_reloads,
    deeper::a_raw_command_goes_as_far_as_the_table_in_an_own_tab,
    deeper::every_unlisted_tool_is_a_command_and_is_called_by_name,
    doctor::a_probe_goes_the_whole_way_and_leaves_nothing,
    doctor::a_profile_that_waits_for_its_user_is_named,
    doctor::a_first_ride_by_the_line_that_each_client_starts,
    doctor::a_file_of_commands_is_run_and_stops_where_it_fails,
    extracting::pages_of_a_server_become_one_file,
    extracting::a_cut_answer_and_a_page_limit_go_on_where_they_stopped,
    extracting::cards_of_an_application_are_gathered_page_by_page,
    extracting::lists_that_load_or_show_rows_while_scrolling,
    extracting::a_hundred_thousand_rows_end_in_time,
    extracting::rows_are_gathered_by_the_command_line_and_by_more,
    papers::the_words_of_a_pdf_come_page_by_page,
    page_tools::a_browser_without_them_says_what_turns_them_on,
    page_tools::tools_of_a_page_are_listed_and_called,
    lying_tries::what_agents_try_is_out_of_a_lying_daemons_reach,
    figures::the_list_of_tools_is_short_and_quick,
    other_clients::the_inspector_lists_and_calls,
    other_clients::the_python_client_lists_and_calls,
    other_clients::agents_from_the_registry_connect_by_what_setup_wrote,
];

/// The same again without the extension; what differs is in `docs/LINKS.md`.
const OVER_CDP: &[Test] = tests_over_cdp![
    reading::a_form_reads_as_an_outline,
    reading::a_hostile_page_is_read_and_pressed,
    reading::a_page_of_20_000_elements_is_cut_and_searched,
    reading::a_table_folds_and_any_row_is_one_call_away,
    reading::text_is_what_a_reader_sees,
    reading::a_screenshot_is_a_picture_and_the_tab_stays_behind,
    composing::a_batch_ends_with_a_failure_a_dialog_or_its_client,
    composing::what_happened_meanwhile_is_told_once,
    composing::one_tool_with_a_command_line_does_everything,
    composing::markdown_and_the_article_keep_their_form,
    composing::a_picture_shows_refs_that_the_page_does_not,
    acting::a_click_answers_what_happened,
    acting::typing_is_read_back,
    acting::every_kind_of_field_is_filled,
    acting::files_reach_inputs_and_buttons_that_make_one,
    acting::hover_drag_and_scroll,
    acting::waiting_ends_with_the_event,
    acting::evaluate_answers_as_the_console_does,
    acting::dialogs_are_told_and_answered,
    acting::history_reload_and_new_windows,
    sharing::two_agents_work_at_the_same_time,
    sharing::another_agents_tab_is_locked,
    bad_input::tools_and_arguments_that_do_not_exist,
    bad_input::a_title_cannot_pose_as_our_own_words,
    bad_input::a_page_that_never_answers,
    bad_input::a_page_that_loops_for_ever,
    bad_input::an_element_that_flees_is_never_another_one,
    bad_input::covered_disabled_and_gone,
    bad_input::a_tab_closed_in_mid_call,
    bad_input::a_cancelled_call_ends,
    logs::the_console_is_replayed_and_grouped,
    logs::stacks_are_those_of_the_sources,
    logs::a_har_file_is_written,
    logs::floods_streams_and_loops_end_in_time,
    logs::two_tabs_have_logs_of_their_own,
    inspect::styles_and_box_need_no_debugger,
    inspect::rules_come_strongest_first_with_their_places,
    inspect::listeners_have_file_and_line,
    inspect::what_cannot_be_inspected_says_why,
    leases::a_tab_is_released_claimed_and_given,
    trying::a_patch_is_read_back_and_rolled_back_in_any_order,
    mocking::the_first_rule_that_fits_answers_and_is_counted,
    storing::stores_are_listed_read_written_and_emptied,
    storing::what_cannot_be_stored_says_why,
    saving::downloads_are_matched_waited_for_and_hashed,
    deeper::an_overview_is_state_outline_and_troubles,
    deeper::a_baseline_tells_what_became_different_over_reloads,
    deeper::a_raw_command_goes_as_far_as_the_table_in_an_own_tab,
    composing::steps_run_in_order_and_beside_each_other,
];

fn main() -> std::process::ExitCode {
    run(&[TESTS, OVER_CDP])
}
