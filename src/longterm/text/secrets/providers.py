"""The forms of keys that providers give out: a prefix that nothing else begins with, and a length.

From the providers' documentation and the public rules of gitleaks and GitHub's secret scanning.
"""

import re

_ALNUM = "[A-Za-z0-9]"
_ANY = "[A-Za-z0-9_-]"
_HEX = "[0-9a-f]"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

_MODELS = (
    rf"sk-(?:proj|svcacct|admin|ant|or-v1)-{_ANY}{{16,}}",  # OpenAI, Anthropic, OpenRouter
    rf"gsk_{_ALNUM}{{40,}}",  # Groq
    rf"xai-{_ALNUM}{{40,}}",
    rf"pplx-{_ALNUM}{{40,}}",  # Perplexity
    rf"hf_{_ALNUM}{{30,40}}",  # Hugging Face
    rf"api_org_{_ALNUM}{{30,40}}",
    rf"r8_{_ALNUM}{{30,}}",  # Replicate
    rf"tvly-(?:dev-|prod-)?{_ALNUM}{{20,}}",  # Tavily
    rf"fc-{_HEX}{{32}}",  # Firecrawl
    rf"jina_{_ANY}{{50,}}",
    rf"pa-{_ANY}{{40,}}",  # Voyage
    rf"pcsk_{_ANY}{{40,}}",  # Pinecone
    rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}",  # LangSmith
    rf"nvapi-{_ANY}{{40,}}",  # Nvidia
    r"csk-[a-z0-9]{40,}",  # Cerebras
    rf"fw_{_ALNUM}{{20,}}",  # Fireworks
    rf"sk_{_HEX}{{40,}}",  # ElevenLabs
    rf"tgp_v1_{_ANY}{{40,}}",  # Together
    rf"rpa_{_ALNUM}{{40,}}",  # RunPod
    rf"e2b_{_HEX}{{40}}",
)
_CLOUDS = (
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",  # AWS
    r"ABSK[A-Za-z0-9+/]{100,}=*",  # AWS Bedrock
    rf"amzn\.mws\.{_UUID}",
    rf"AIza{_ANY}{{35}}",  # Google
    rf"ya29\.{_ANY}{{20,}}",
    rf"GOCSPX-{_ANY}{{20,}}",
    rf"1//0{_ANY}{{40,}}",
    r"GOOG1[A-Z0-9]{50,}",
    r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",  # Microsoft Entra
    rf"do[opr]_v1_{_HEX}{{64}}",  # DigitalOcean
    rf"HRKU-{_ANY}{{30,}}",  # Heroku
    rf"nfp_{_ALNUM}{{36,}}",  # Netlify
    r"fm[12]_[A-Za-z0-9+/=_-]{60,}",  # Fly
    rf"fo1_{_ANY}{{40,}}",
    rf"sbp_{_HEX}{{40}}",  # Supabase
    rf"sb_secret_{_ANY}{{20,}}",
    rf"pscale_(?:tkn|pw|oauth)_{_ANY}{{32,}}",  # PlanetScale
    rf"dapi{_HEX}{{32}}(?:-[0-9])?",  # Databricks
    rf"v1\.0-{_HEX}{{24}}-{_HEX}{{100,}}",  # Cloudflare
    rf"LTAI{_ALNUM}{{12,30}}",  # Alibaba
    rf"AKID{_ALNUM}{{13,40}}",  # Tencent
    rf"AQVN{_ANY}{{35,38}}",  # Yandex
    rf"y[0-3]_{_ANY}{{50,}}",
    r"SCW[A-Z0-9]{17}",  # Scaleway
    rf"tskey-[a-z]{{2,8}}-{_ANY}{{20,}}",  # Tailscale
    rf"sha256~{_ANY}{{43}}",  # OpenShift
    rf"hv[sbr]\.{_ANY}{{24,}}",  # Vault
    rf"dp\.(?:pt|st|ct|sa|scim|audit)\.{_ANY}{{40,}}",  # Doppler
    rf"pul-{_HEX}{{40}}",  # Pulumi
    rf"{_ALNUM}{{14}}\.atlasv1\.{_ANY}{{60,}}",  # Terraform Cloud
    rf"ops_eyJ{_ANY}{{200,}}",  # 1Password
    r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
)
_DEVELOPMENT = (
    rf"gh[pousr]_{_ALNUM}{{30,}}",  # GitHub
    r"github_pat_[A-Za-z0-9_]{22,}",
    rf"gl(?:pat|dt|rt|soat|ptt|cbt|ft|agent|imt|oas)-{_ANY}{{20,}}",  # GitLab
    rf"GR1348941{_ANY}{{20}}",
    rf"ATBB{_ALNUM}{{32}}",  # Bitbucket
    rf"AT(?:ATT|CTT)3{_ANY}{{100,}}(?:=[0-9A-F]{{8}})?",  # Atlassian
    rf"npm_{_ALNUM}{{36}}",
    rf"pypi-{_ANY}{{50,}}",
    rf"rubygems_{_HEX}{{48}}",
    rf"dckr_[op]at_{_ANY}{{27,}}",  # Docker Hub
    rf"cio{_ALNUM}{{32}}",  # crates.io
    r"oy2[a-z0-9]{43}",  # NuGet
    rf"CLOJARS_{_HEX}{{60}}",
    rf"AKCp{_ALNUM}{{60,}}",  # Artifactory
    rf"lin_(?:api|oauth)_{_ALNUM}{{30,}}",  # Linear
    rf"ntn_{_ALNUM}{{40,}}",  # Notion
    rf"secret_{_ALNUM}{{43}}",
    rf"pat{_ALNUM}{{14}}\.{_HEX}{{64}}",  # Airtable
    rf"fig[dour]_{_ANY}{{36,}}",  # Figma
    rf"PMA[KT]-{_HEX}{{24}}-{_HEX}{{34}}",  # Postman
    r"NR(?:AK|AA|RA|II|IQ|JS)-[A-Za-z0-9]{19,32}",  # New Relic
    rf"glsa_{_ALNUM}{{32}}_{_HEX}{{8}}",  # Grafana
    r"glc_[A-Za-z0-9+/]{32,}=*",
    rf"sntryu_{_HEX}{{64}}",  # Sentry
    r"sntrys_[A-Za-z0-9+/=_-]{60,}",
    r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}",  # Dynatrace
    rf"CFPAT-{_ANY}{{40,}}",  # Contentful
    r"pk_[0-9]{5,10}_[A-Z0-9]{32}",  # ClickUp
    rf"pnu_{_ALNUM}{{36}}",  # Prefect
    r"rdme_[a-z0-9]{70}",  # ReadMe
    rf"bkua_{_HEX}{{40}}",  # Buildkite
    rf"CCI(?:PAT|PRJ)_{_ALNUM}{{10,}}_{_HEX}{{40}}",  # CircleCI
    rf"ph[xs]_{_ALNUM}{{40,}}",  # PostHog
    rf"sgp_(?:[0-9a-zA-Z]{{16}}_)?{_HEX}{{40}}",  # Sourcegraph
    rf"ico-{_ALNUM}{{32}}",  # Infracost
    rf"sk\.eyJ{_ANY}{{20,}}\.{_ANY}{{16,}}",  # Mapbox
    rf"aio_{_ALNUM}{{28}}",  # Adafruit
)
_SERVICES = (
    r"xox[abcdeoprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
    rf"[0-9]{{8,10}}:AA{_ANY}{{33}}",  # Telegram
    rf"[MNO]{_ANY}{{23,25}}\.{_ANY}{{6}}\.{_ANY}{{27,38}}",  # Discord
    rf"[sr]k_(?:live|test)_{_ALNUM}{{10,}}",  # Stripe
    r"whsec_[A-Za-z0-9+/]{16,}=*",
    rf"sq0(?:atp|csp|idp)-{_ANY}{{22,}}",  # Square
    rf"EAA{_ANY}{{50,}}",  # Facebook, Square
    rf"[0-9]{{13,17}}\|{_ANY}{{24,30}}",  # Facebook applications
    rf"access_token\$(?:production|sandbox)\$[a-z0-9]{{16}}\${_HEX}{{32}}",  # Braintree
    rf"access-(?:production|sandbox|development)-{_UUID}",  # Plaid
    rf"rzp_(?:live|test)_{_ALNUM}{{14,}}",  # Razorpay
    r"FLWSECK(?:_TEST)?-[a-z0-9]{32}-X",  # Flutterwave
    r"shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}",  # Shopify
    rf"SK{_HEX}{{32}}",  # Twilio
    rf"SG\.{_ANY}{{16,32}}\.{_ANY}{{16,64}}",  # SendGrid
    rf"key-{_HEX}{{32}}",  # Mailgun
    rf"{_HEX}{{32}}-us[0-9]{{1,2}}",  # Mailchimp
    rf"x(?:key|smtp)sib-{_HEX}{{64}}-{_ALNUM}{{16}}",  # Brevo
    rf"re_{_ALNUM}{{8}}_{_ALNUM}{{20,}}",  # Resend
    rf"sl\.(?:u\.)?{_ANY}{{100,}}",  # Dropbox
    rf"pat-(?:na|eu|ap)[0-9]-{_UUID}",  # HubSpot
    rf"duffel_(?:live|test)_{_ANY}{{40,}}",
    rf"tfp_{_ANY}{{40,}}",  # Typeform
    rf"(?:live|test)_{_HEX}{{35}}",  # Lob
    rf"EZ[AT]K{_ALNUM}{{54}}",  # EasyPost
    rf"shippo_(?:live|test)_{_HEX}{{40}}",
    rf"sup_sk_{_ALNUM}{{30,}}",  # SumUp
)

# A run of such characters has one beginning, and every pattern is tried there only: hence linear.
PREFIXED = re.compile(
    rf"(?<!{_ANY})(?:{'|'.join((*_MODELS, *_CLOUDS, *_DEVELOPMENT, *_SERVICES))})(?!{_ANY})"
)
