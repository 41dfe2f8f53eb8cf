"""What notes call some frequent conditions that code systems call otherwise, or in more words."""

from __future__ import annotations

EVERYDAY = {
    "abdominal distension": ("abdominal distention", "distended abdomen"),
    "abnormal weight loss": ("weight loss", "lost weight"),
    "acute myocardial infarction": ("heart attack", "myocardial infarction"),
    "benign prostatic hyperplasia": ("enlarged prostate", "prostatic hypertrophy"),
    "calculus of gallbladder": ("gallstones",),
    "cytomegaloviral disease": ("cytomegalovirus infection", "CMV infection"),
    "enlarged lymph nodes": ("adenopathy", "enlarged nodes"),
    "essential hypertension": ("hypertension", "high blood pressure"),
    "gangrene": ("necrosis",),
    "herpesviral infection": ("herpes virus infection", "herpes simplex infection"),
    "human immunodeficiency virus disease": ("HIV infection", "HIV positive"),
    "loss of weight": ("weight loss", "lost weight"),
    "nicotine dependence": ("smoker", "nicotine addiction"),
    "paresthesia of skin": ("paresthesia", "tingling"),
    "tobacco use disorder": ("smoker",),
    "viral hepatitis b": ("hepatitis B infection", "hepatitis B virus"),
    "viral hepatitis c": ("hepatitis C", "hepatitis C infection", "hepatitis C virus"),
}
"""Label without what says that nothing more is known, in small letters -> other names of it."""
