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
package io.lookup.storage.damage;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Damages what JSON says and leaves it JSON: members are missing, there twice, or have each other's values, numbers are extreme, texts long, arrays endless,
 * objects deep.
 */
public final class JsonDamage
{
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    // becomes a second member of the same name when the text is there
    private static final String TWIN = "@twin@";
    private static final List<String> VALUES = ImmutableList.of(
            "null", "true", "false", "0", "1", "-1", "2147483647", "2147483648", "-2147483648", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
            "18446744073709551619", "1e400", "0.5", "1E2", "\"\"", "\" \"", "\"0\"", "\"-1\"", "\"9223372036854775807\"", "\"true\"", "{}", "[]", "[[]]", "[null]", "{\"\": null}",
            "\"../../x\"", "\"/etc/passwd\"", "\"\\u0000\"", "\"\\ud800\"", "\"a\\nb\"", "\"INT\"", "\"ARRAY<INT>\"", "\"ROW<>\"", "\"DECIMAL(99, -1)\"", "\"VARCHAR(0)\"",
            "{\"type\": \"ARRAY\", \"element\": \"INT\"}", "{\"type\": \"MAP\", \"key\": \"INT\"}", "{\"type\": \"ROW\", \"fields\": []}");
    private static final List<String> NUMBERS = ImmutableList.of("0", "-1", "1", "39", "65536", "2147483647", "2147483648", "9223372036854775807", "99999999999999999999");

    private final Random random;

    public JsonDamage(Random random)
    {
        this.random = random;
    }

    private record Slot(JsonNode parent, String member, int index)
    {
        JsonNode get()
        {
            return parent.isObject() ? parent.get(member) : parent.get(index);
        }

        void set(JsonNode value)
        {
            if (parent instanceof ObjectNode object) {
                object.set(member, value);
                return;
            }
            ((ArrayNode) parent).set(index, value);
        }

        void remove()
        {
            if (parent instanceof ObjectNode object) {
                object.remove(member);
                return;
            }
            ((ArrayNode) parent).remove(index);
        }
    }

    /**
     * @return empty if the text is not an object or an array with anything in it
     */
    public Optional<String> apply(String text)
    {
        try {
            JsonNode root = MAPPER.readTree(text);
            int steps = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 1;
            for (int step = 0; step < steps; step++) {
                List<Slot> slots = new ArrayList<>();
                collect(root, slots);
                if (slots.isEmpty()) {
                    return Optional.empty();
                }
                damage(slots.get(random.nextInt(slots.size())), slots);
            }
            return Optional.of(MAPPER.writeValueAsString(root).replace(TWIN, ""));
        }
        catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    public Optional<byte[]> apply(byte[] content)
    {
        return apply(new String(content, UTF_8)).map(text -> text.getBytes(UTF_8));
    }

    private static void collect(JsonNode node, List<Slot> slots)
    {
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            slots.add(new Slot(node, member.getKey(), -1));
            collect(member.getValue(), slots);
        }
        for (int index = 0; node.isArray() && index < node.size(); index++) {
            slots.add(new Slot(node, null, index));
            collect(node.get(index), slots);
        }
    }

    private void damage(Slot slot, List<Slot> slots)
    {
        JsonNode value = slot.get();
        switch (random.nextInt(9)) {
            case 0 -> slot.remove();
            case 1 -> repeat(slot, value.deepCopy());
            case 2 -> {
                // a copy: the other may lie in this one
                Slot other = slots.get(random.nextInt(slots.size()));
                JsonNode otherValue = other.get().deepCopy();
                other.set(value.deepCopy());
                slot.set(otherValue);
            }
            case 3 -> rename(slot, value, slots);
            case 4 -> slot.set(deep(value));
            case 5 -> slot.set(NODES.textNode("x".repeat(1 << random.nextInt(18))));
            case 6 -> slot.set(near(value));
            default -> slot.set(read(VALUES.get(random.nextInt(VALUES.size()))));
        }
    }

    private void repeat(Slot slot, JsonNode value)
    {
        if (slot.parent() instanceof ArrayNode array) {
            int times = random.nextInt(3) == 0 ? 1 << random.nextInt(12) : 1;
            for (int time = 0; time < times; time++) {
                array.add(value);
            }
            return;
        }
        ((ObjectNode) slot.parent()).set(TWIN + slot.member(), random.nextBoolean() ? value : read(VALUES.get(random.nextInt(VALUES.size()))));
    }

    private void rename(Slot slot, JsonNode value, List<Slot> slots)
    {
        if (slot.parent() instanceof ObjectNode object) {
            List<String> names = slots.stream().map(Slot::member).filter(name -> name != null).toList();
            object.remove(slot.member());
            object.set(random.nextInt(3) == 0 ? TWIN + names.get(random.nextInt(names.size())) : slot.member() + "x", value);
        }
    }

    /**
     * Within itself, level by level; or in arrays alone.
     */
    private JsonNode deep(JsonNode value)
    {
        // Jackson itself goes no deeper than 1000
        int depth = 1 << random.nextInt(10);
        JsonNode nested = value.deepCopy();
        String member = value.isObject() && !value.isEmpty() ? value.fieldNames().next() : "a";
        boolean arrays = random.nextBoolean();
        boolean types = random.nextBoolean();
        for (int level = 0; level < depth; level++) {
            if (types) {
                nested = NODES.objectNode().put("type", "ARRAY").set("element", nested);
            }
            else {
                nested = arrays ? NODES.arrayNode().add(nested) : NODES.objectNode().set(member, nested);
            }
        }
        return nested;
    }

    private JsonNode near(JsonNode value)
    {
        if (value.isIntegralNumber()) {
            long number = value.longValue();
            return NODES.numberNode(switch (random.nextInt(4)) {
                case 0 -> number + 1;
                case 1 -> number - 1;
                case 2 -> -number;
                default -> number * 2 + 1;
            });
        }
        if (value.isTextual() && value.textValue().matches(".*\\d.*")) {
            return NODES.textNode(value.textValue().replaceFirst("\\d+", NUMBERS.get(random.nextInt(NUMBERS.size()))));
        }
        return NODES.textNode(value.asText() + (random.nextBoolean() ? " " : "\u00e4"));
    }

    private static JsonNode read(String text)
    {
        try {
            return MAPPER.readTree(text);
        }
        catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
