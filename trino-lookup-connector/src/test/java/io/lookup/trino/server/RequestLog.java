/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lookup.trino.server;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Locale.ENGLISH;
import static java.util.Objects.requireNonNull;

/**
 * The requests that {@link S3ProxyProcess} wrote to its log.
 */
record RequestLog(List<Request> requests)
{
    // "... S3Proxy-Jetty-26 o.gaul.s3proxy.S3ProxyHandler:629 |::] request: ...{PUT@9b2#1 http://127.0.0.1:4711/lake/... HTTP/1.1}..."
    private static final Pattern REQUEST = Pattern.compile(" (\\S+) \\S+S3ProxyHandler:\\d+ .*\\] request: .*\\{([A-Z]+)@\\S+ (\\S+) HTTP/");
    // "... S3Proxy-Jetty-26 o.gaul.s3proxy.S3ProxyHandler:654 |::] header: If-None-Match: *"
    private static final Pattern HEADER = Pattern.compile(" (\\S+) \\S+S3ProxyHandler:\\d+ .*\\] header: ([^:]+): (.*)");

    RequestLog
    {
        requests = ImmutableList.copyOf(requests);
    }

    /**
     * @param headers by their names in lower case
     */
    record Request(String method, String uri, Map<String, String> headers)
    {
        Request
        {
            requireNonNull(method, "method is null");
            requireNonNull(uri, "uri is null");
            headers = ImmutableMap.copyOf(headers);
        }
    }

    private record Started(String method, String uri, Map<String, String> headers) {}

    static RequestLog parse(String log)
    {
        ImmutableList.Builder<Started> all = ImmutableList.builder();
        // headers follow their request in the same thread
        Map<String, Started> current = new LinkedHashMap<>();
        for (String line : log.split("\n")) {
            Matcher request = REQUEST.matcher(line);
            if (request.find()) {
                Started started = new Started(request.group(2), request.group(3), new LinkedHashMap<>());
                current.put(request.group(1), started);
                all.add(started);
                continue;
            }
            Matcher header = HEADER.matcher(line);
            if (header.find() && current.containsKey(header.group(1))) {
                current.get(header.group(1)).headers().put(header.group(2).toLowerCase(ENGLISH), header.group(3));
            }
        }
        return new RequestLog(all.build().stream()
                .map(started -> new Request(started.method(), started.uri(), started.headers()))
                .collect(toImmutableList()));
    }

    /**
     * The PUT requests of objects whose address has this part.
     */
    List<Request> puts(String part)
    {
        return requests.stream()
                .filter(request -> request.method().equals("PUT") && request.uri().contains(part))
                .collect(toImmutableList());
    }
}
