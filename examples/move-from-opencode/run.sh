helve config trust --yes
helve permissions test policy-tests.jsonc
helve doctor
