"""What no table can answer, and somebody has to: the sources of bias that data does not show."""

QUESTIONS = (
    "Historical: does the label say what happened, or what ought to have happened? Decisions of the past are in it.",
    "Measurement: is the label what is meant, or a stand-in for it, such as being arrested for having offended?",
    "Measurement: was everything recorded with the same care for each group?",
    "Representation: who is not in the table at all, and why?",
    "People: do those who label, choose columns or read results see one group as more alike than it is?",
    "People: is a correlation in these data read as a cause?",
    "Measure: what exactly do the target and the columns mean, and what of interest was not measured?",
    "Model: who decided which mistakes are worse, and would the people concerned agree?",
    "Evaluation: do the rows of this audit resemble those that decisions will be made for?",
    "Deployment: what follows from a decision, can it be contested, and will its outcome be known?",
    "Feedback: do decisions change the rows of the future, so that later data confirm them?",
)
