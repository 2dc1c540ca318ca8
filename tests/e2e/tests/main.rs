//! End to end: MCP clients → thin process → daemon → extension → a real Chromium, and back.

mod acting;
mod bad_input;
mod figures;
mod leases;
mod lying_daemon;
mod other_clients;
mod person;
mod reading;
mod recovery;
mod secrets;
mod sharing;

use pillion_e2e::{run, tests};

fn main() -> std::process::ExitCode {
    run(tests![
        reading::a_form_reads_as_an_outline,
        reading::closed_roots_and_frames_two_sites_deep_are_in_place,
        reading::a_hostile_page_is_read_and_pressed,
        reading::a_page_of_20_000_elements_is_cut_and_searched,
        reading::a_table_folds_and_any_row_is_one_call_away,
        reading::text_is_what_a_reader_sees,
        reading::a_screenshot_is_a_picture_and_the_tab_stays_behind,
        acting::a_click_answers_what_happened,
        acting::typing_is_read_back,
        acting::every_kind_of_field_is_filled,
        acting::files_reach_inputs_and_buttons_that_make_one,
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
        secrets::no_tool_lets_a_planted_secret_out,
        person::one_click_lets_agents_into_a_profile_and_a_switch_shares_a_tab,
        lying_daemon::a_daemon_that_lies_gets_only_what_the_table_allows,
        figures::the_list_of_tools_is_short_and_quick,
        other_clients::the_inspector_lists_and_calls,
        other_clients::the_python_client_lists_and_calls,
    ])
}
