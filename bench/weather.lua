-- The weather between a server and its guests, told by a page's address alone: the same for every tool and every run.
-- nginx runs this before it answers; its variables say how bad it is:
--   $latency_ms, $latency_max_ms  each response waits so long, or a time between them; shorter ones are more frequent
--   $gone_share                   pages that are not there
--   $cut_share                    pages whose connection is closed unanswered, the first time that they are asked for
--   $slow_share                   pages that come at 16 KB a second
-- Shares are in a thousand.

if ngx.req.is_internal() then -- "/" on its second way, to its file
    return
end

local address = ngx.var.server_addr .. ngx.var.uri
local luck = ngx.crc32_long(address) % 1000
local draw = (ngx.crc32_long("wait " .. address) % 1000) / 1000

local least_ms = tonumber(ngx.var.latency_ms)
local most_ms = tonumber(ngx.var.latency_max_ms)
local slower = ngx.shared.asked:get("slower") or 1 -- while the bench asks for it
ngx.sleep(slower * least_ms * (most_ms / least_ms) ^ draw / 1000)

if ngx.var.uri == "/robots.txt" or ngx.var.uri == "/" then
    return
end

local gone = tonumber(ngx.var.gone_share)
local cut = gone + tonumber(ngx.var.cut_share)
if luck < gone then
    return ngx.exit(404)
end
if luck < cut and ngx.shared.asked:add(address, true) then
    return ngx.exit(444)
end
if luck >= cut and luck < cut + tonumber(ngx.var.slow_share) then
    ngx.var.limit_rate = 16384
end
