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
package io.lookup.storage.catalog.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;

import java.net.URI;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * What a server answered to a GET: an object, or that it has no such thing, or that it does not know such things.
 *
 * @param body of an error: its {@code ErrorResponse}, or an empty object
 */
record RestAnswer(URI uri, Outcome outcome, JsonNode body)
{
    enum Outcome
    {
        FOUND,
        NOT_FOUND,
        NOT_IMPLEMENTED,
    }

    RestAnswer
    {
        requireNonNull(uri, "uri is null");
        requireNonNull(outcome, "outcome is null");
        requireNonNull(body, "body is null");
    }

    boolean isFound()
    {
        return outcome == Outcome.FOUND;
    }

    /**
     * @throws StorageException CATALOG_ERROR if the server has no such path
     */
    RestAnswer requireFound()
    {
        if (!isFound()) {
            throw failed("answered that it knows no such path; check lookup.catalog.rest.uri, lookup.catalog.rest.warehouse and lookup.catalog.rest.prefix");
        }
        return this;
    }

    /**
     * @return null if there is none, or a null
     */
    JsonNode member(String name)
    {
        JsonNode node = body.get(name);
        return node == null || node.isNull() ? null : node;
    }

    Optional<String> text(String name)
    {
        JsonNode node = member(name);
        if (node == null) {
            return Optional.empty();
        }
        if (!node.isTextual()) {
            throw unusable("member '%s' is not a string".formatted(name));
        }
        return Optional.of(node.textValue());
    }

    StorageException unusable(String reason)
    {
        return failed("gave an answer that cannot be used: " + reason);
    }

    StorageException failed(String what)
    {
        return new StorageException(StorageErrorCode.CATALOG_ERROR, "GET %s %s".formatted(uri, what));
    }
}
