"""Levels whose names say their order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.data._level_order import order_of

# In order. The levels of files are those that R's factors have, in the order of the factor.
ORDERED = {
    "kernlab::income INCOME": [
        *("-10.000)", "[10.000-15.000)", "[15.000-20.000)", "[20.000-25.000)", "[25.000-30.000)"),
        *("[30.000-40.000)", "[40.000-50.000)", "[50.000-75.000)", "[75.000-"),
    ],
    "kernlab::income AGE": ["14-17", "18-24", "25-34", "35-44", "45-54", "55-64", "65+"],
    "kernlab::income EDUCATION": [
        *("Grade 8 or less", "Grades 9 to 11", "Graduated High Scool", "1 to 3 years of college"),
        *("College graduate", "Grad Study"),
    ],
    "kernlab::income AREA": ["-1 year", "1-3 years", "4-6 years", "7-10 years", "10+ years"],
    "kernlab::income UNDER18": [
        *("None", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine or more"),
    ],
    "datasets::esoph alcgp": ["0-39g/day", "40-79", "80-119", "120+"],
    "datasets::esoph tobgp": ["0-9g/day", "10-19", "20-29", "30+"],
    "datasets::infert education": ["0-5yrs", "6-11yrs", "12+ yrs"],
    "rpart::car90 Reliability": ["Much worse", "worse", "average", "better", "Much better"],
    "adult education, by education-num": [
        *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college"),
        *("Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
    ],
    "adult class": ["<=50K", ">50K"],
    "census income": ["- 50000.", "50000+."],
    "UCI car buying": ["low", "med", "high", "vhigh"],
    "UCI car class": ["unacc", "acc", "good", "vgood"],
    "ggplot2::diamonds cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
    "World Bank": ["Low income", "Lower middle income", "Upper middle income", "High income"],
    "IBM HR education": ["Below College", "College", "Bachelor", "Master", "Doctor"],
    "degrees": ["bachelor's degree", "master's degree", "PhD"],
    "schools": ["primary", "secondary", "tertiary"],
    "health": ["very poor", "poor", "fair", "good", "very good"],
    "agreement": ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"],
    "numbered": ["1 - strongly disagree", "2 - disagree", "3 - neutral", "4 - agree", "5 - strongly agree"],
    "frequency": ["never", "rarely", "sometimes", "often", "always"],
    "temperature": ["cold", "warm", "hot"],
    "sizes": ["XS", "S", "M", "L", "XL", "XXL"],
    "with underscores": ["very_low", "low", "high"],
    "importance": ["not at all important", "somewhat important", "very important"],
    "severity": ["none", "mild", "moderate", "severe"],
    "months": ["January", "Feb", "Mar", "december"],
    "weekdays": ["Mon", "Tue", "Fri", "Sun"],
}

UNORDERED = {
    "rpart::car90 Type": ["Compact", "Large", "Medium", "Small", "Sporty", "Van"],
    "rpart::car90 Tires": ["145", "145/80", "155", "155/65", "165/80", "175/70"],
    "rpart::car90 Rim": ["R12", "R13", "R14", "R15"],
    "rpart::car90 Trans1": ["", "man.4", "man.5", "man.6"],
    "rpart::stagec ploidy": ["diploid", "tetraploid", "aneuploid"],
    "mlbench::Satellite classes": ["red soil", "grey soil", "damp grey soil", "very damp grey soil"],
    "mlbench::Soybean Class": ["2-4-d-injury", "alternarialeaf-spot", "brown-spot"],
    "datasets::Titanic Class": ["1st", "2nd", "3rd", "Crew"],
    "kernlab::income HOUSEHOLDER": ["Own", "Rent", "Family"],
    "kernlab::income DUAL.INCOMES": ["Not Married", "Yes", "No"],
    "German credit": ["A11", "A12", "A13", "A14"],
    "letters": ["A", "B", "C", "D"],
    "plain numbers": ["1", "2", "3"],
    "one step named twice": ["low", "med", "medium", "high"],
    "two scales": ["low", "medium", "hot"],
    "jobs": ["technical", "professional", "none"],
    "with unknown": ["low", "medium", "high", "unknown"],
}


@given(st.sampled_from(sorted(ORDERED)), st.randoms())
def test_ordered_levels_come_back_in_order(origin, random):
    levels = ORDERED[origin]
    found = order_of(random.sample(levels, len(levels)))
    assert found is not None
    assert list(found.levels) == levels


@given(st.sampled_from(sorted(ORDERED)), st.data())
def test_a_stranger_among_the_levels_ends_the_order(origin, data):
    levels = list(ORDERED[origin])
    levels.insert(data.draw(st.integers(0, len(levels))), "aubergine")
    assert order_of(levels) is None


@given(st.sampled_from(sorted(ORDERED)), st.sampled_from([str.upper, str.lower, str.title, "  {} ".format]))
def test_case_and_spaces_do_not_matter(origin, written):
    levels = [written(level) for level in ORDERED[origin]]
    found = order_of(levels)
    assert found is not None
    assert list(found.levels) == levels


@pytest.mark.parametrize("origin", UNORDERED)
def test_levels_that_do_not_all_belong_have_no_order(origin):
    assert order_of(UNORDERED[origin]) is None


def test_months_weekdays_and_seasons_go_round():
    assert all(order_of(levels).cyclic for levels in (["May", "June", "July"], ["Sat", "Sun"], ["summer", "winter"]))
    assert not order_of(["low", "high"]).cyclic
