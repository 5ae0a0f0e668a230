"""What is decided about Parrot (Lin et al. 2024): one file per section, each a list of claims."""

MODULES = (
    "app_labels",
    "app_groups",
    "app_schedules",
    "shared_prefixes",
    "app_dispatch",
    "merged_attention",
    "app_numbers",
    "application_tails",
    "application_programs",
)
