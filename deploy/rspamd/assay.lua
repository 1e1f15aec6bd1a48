-- Asks assay about the sender's domains and the links of a message. Install as /etc/rspamd/plugins.d/assay.lua; docs/mail.md
-- explains the settings. Requests are asynchronous, and a message is never delayed by more than `timeout`.

if confighelp then
  return
end

local lua_maps = require "lua_maps"
local lua_util = require "lua_util"
local rspamd_http = require "rspamd_http"
local rspamd_logger = require "rspamd_logger"
local rspamd_util = require "rspamd_util"
local ucl = require "ucl"

local N = "assay"

local settings = {
  url = "http://127.0.0.1:8080",
  key = nil,
  -- Seconds for one request. All requests of a message run at once.
  timeout = 3.0,
  -- Targets per message. Each counts against the quota unless assay has it in its cache.
  max_targets = 8,
  -- Opening a link can confirm an address or sign somebody in: true only where that does no harm.
  visit = false,
  -- Domains that are never asked about, with all names below them: a list, a file or a URL.
  whitelist = nil,
  -- Messages of authenticated senders and from local networks are not checked.
  check_outgoing = false,
  -- After so many failures in a row nothing is asked for `retry_after` seconds.
  max_failures = 5,
  retry_after = 30.0,
  scores = { malicious = 6.0, suspicious = 2.5, refused = 1.0, fail = 0.0 },
}

local symbols = {
  malicious = { "ASSAY_MALICIOUS", "A domain or a link of the message is malicious" },
  suspicious = { "ASSAY_SUSPICIOUS", "A domain or a link of the message is suspicious" },
  refused = { "ASSAY_REFUSED", "A link of the message is malformed on purpose, so it cannot be checked" },
  fail = { "ASSAY_FAIL", "assay did not answer; the message is judged without it" },
}

-- Larger answers are not results.
local MAX_ANSWER = 1024 * 1024

-- Codes of a service that works and refuses this request now; all others count as failures.
local busy = { ["rate-limited"] = true, ["target-busy"] = true, overloaded = true }

local failures = 0
local asks_again_at = 0

local function insert(task, what, option)
  task:insert_result(symbols[what][1], 1.0, option)
end

local function percent_encoded(text)
  return (text:gsub("[^%w%-._~]", function(octet)
    return string.format("%%%02X", octet:byte())
  end))
end

local function is_whitelisted(host)
  if not settings.whitelist then
    return false
  end
  local name = host
  while name do
    if settings.whitelist:get_key(name) then
      return true
    end
    name = name:match("^[^.]*%.(.+)$")
  end
  return false
end

-- The targets of a message in order of importance, each once.
local function targets_of(task)
  local targets, seen = {}, {}

  local function add(parameter, value, host)
    local id = parameter .. "=" .. value
    if #targets < settings.max_targets and not seen[id] and not is_whitelisted(host) then
      seen[id] = true
      targets[#targets + 1] = { parameter = parameter, value = value, host = host }
    end
  end

  local function add_addresses(addresses)
    for _, address in ipairs(addresses or {}) do
      local domain = (address.domain or ""):lower()
      if domain:find(".", 1, true) then
        add("domain", domain, domain)
      end
    end
  end

  add_addresses(task:get_from("mime"))
  add_addresses(task:get_from("smtp"))
  local reply_to = task:get_header("Reply-To")
  if reply_to then
    add_addresses(rspamd_util.parse_mail_address(reply_to, task:get_mempool()))
  end

  -- Links of many domains before many links of one.
  local urls = lua_util.extract_specific_urls({
    task = task,
    limit = settings.max_targets,
    esld_limit = 2,
    prefix = N,
  })
  for _, url in ipairs(urls or {}) do
    local protocol, host = url:get_protocol(), url:get_host()
    if host and (protocol == "http" or protocol == "https") then
      local is_front_page = not url:get_query() and (url:get_path() or "") == "" and not url:get_user()
      if is_front_page and host:match("%a[%w-]*$") then
        add("domain", host:lower(), host:lower())
      else
        add("url", url:get_text(), host:lower())
      end
    end
  end
  return targets
end

local function failed(task, why)
  failures = failures + 1
  if failures >= settings.max_failures then
    asks_again_at = rspamd_util.get_time() + settings.retry_after
    failures = 0
  end
  rspamd_logger.warnx(task, "assay: %s", why)
  insert(task, "fail", why)
end

local function parsed(body)
  local parser = ucl.parser()
  if not parser:parse_text(body) then
    return nil
  end
  return parser:get_object()
end

-- A verdict decides. The recommendation does not: what is not visited is at least for review.
local function judge(task, target, answer)
  if answer.verdict == "malicious" or answer.recommendation == "block" then
    insert(task, "malicious", target.host)
  elseif answer.verdict == "suspicious" then
    insert(task, "suspicious", target.host)
  end
end

local function ask(task, target)
  local function answered(err, code, body)
    if err then
      return failed(task, err)
    end
    local answer = parsed(body)
    if code == 200 and answer then
      failures = 0
      return judge(task, target, answer)
    end
    if code == 400 or code == 422 then
      -- A private address or an unusual port cannot be checked, and is no sign of anything.
      failures = 0
      if answer and answer.code == "invalid-url" then
        insert(task, "refused", target.host)
      end
      return
    end
    if answer and busy[answer.code] then
      return insert(task, "fail", answer.code)
    end
    failed(task, answer and answer.code or string.format("HTTP status %s", code))
  end

  local query = string.format(
    "%s=%s%s&fields=verdict,recommendation",
    target.parameter,
    percent_encoded(target.value),
    settings.visit and "" or "&visit=false"
  )
  local is_sent = rspamd_http.request({
    task = task,
    url = settings.url .. "/api/v1/check?" .. query,
    method = "get",
    headers = { ["X-API-Key"] = settings.key, ["Accept"] = "application/json" },
    timeout = settings.timeout,
    max_size = MAX_ANSWER,
    keepalive = true,
    opaque_body = true,
    callback = answered,
  })
  if not is_sent then
    failed(task, "cannot send the request")
  end
end

local function is_outgoing(task)
  local ip = task:get_from_ip()
  return task:get_user() or (ip and ip:is_valid() and ip:is_local())
end

local function check(task)
  if not settings.check_outgoing and is_outgoing(task) then
    return
  end
  if rspamd_util.get_time() < asks_again_at then
    return insert(task, "fail", "not asked")
  end
  for _, target in ipairs(targets_of(task)) do
    ask(task, target)
  end
end

local options = rspamd_config:get_all_opt(N)
if not options then
  return
end
settings = lua_util.override_defaults(settings, options)
if not settings.key then
  rspamd_logger.errx(rspamd_config, "assay: no `key` in the configuration; the module is off")
  lua_util.disable_module(N, "config")
  return
end
if settings.whitelist then
  settings.whitelist = lua_maps.map_add_from_ucl(settings.whitelist, "set", "domains that assay is not asked about")
end

local id = rspamd_config:register_symbol({
  name = "ASSAY_CHECK",
  type = "callback",
  callback = check,
  flags = "empty",
  augmentations = { string.format("timeout=%f", settings.timeout) },
})
for what, symbol in pairs(symbols) do
  local name, description = symbol[1], symbol[2]
  rspamd_config:register_symbol({ name = name, type = "virtual", parent = id })
  -- Several links of one kind count once.
  rspamd_config:set_metric_symbol({
    name = name,
    score = settings.scores[what],
    description = description,
    group = N,
    one_shot = true,
  })
end
