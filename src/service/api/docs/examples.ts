// One request in four languages, ready to paste. The API key comes from the environment, never from the code.

export interface Example {
  readonly language: string
  readonly code: string
}

/** `url` is the URL of the operation. */
export const examples = (url: string): readonly Example[] => [
  {
    language: 'curl',
    code: `curl --silent --show-error --get ${url} \\
  --data-urlencode domain=example.com \\
  --header "X-API-Key: $ASSAY_KEY"`,
  },
  {
    language: 'JavaScript',
    code: `import { env } from 'node:process'

const url = new URL('${url}')
url.searchParams.set('domain', 'example.com')
const response = await fetch(url, {
  headers: { 'X-API-Key': env.ASSAY_KEY },
  signal: AbortSignal.timeout(10_000),
})
const body = await response.json()
if (!response.ok) throw new Error(\`\${body.code}: \${body.detail}\`)
console.log(body.recommendation, body.recommendation_reason)`,
  },
  {
    language: 'Python',
    code: `import json, os
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

url = "${url}?" + urlencode({"domain": "example.com"})
request = Request(url, headers={"X-API-Key": os.environ["ASSAY_KEY"]})
try:
    with urlopen(request, timeout=10) as response:
        result = json.load(response)
except HTTPError as error:
    problem = json.load(error)
    raise SystemExit(f"{problem['code']}: {problem['detail']}")
print(result["recommendation"], result["recommendation_reason"])`,
  },
  {
    language: 'Go',
    code: `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	request, err := http.NewRequest("GET", "${url}?domain=example.com", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-API-Key", os.Getenv("ASSAY_KEY"))
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var body struct {
		Recommendation string \`json:"recommendation"\`
		Reason         string \`json:"recommendation_reason"\`
		Code           string \`json:"code"\`
		Detail         string \`json:"detail"\`
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s", body.Code, body.Detail)
	}
	fmt.Println(body.Recommendation, body.Reason)
}`,
  },
]
