from hypothesis import settings

settings.register_profile("teltheory", deadline=None)
settings.load_profile("teltheory")
