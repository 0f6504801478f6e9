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
package io.lookup.trino.flink;

import io.trino.spi.type.SqlVarbinary;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;

import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Rows of Trino as the fields that a {@link FlinkProcess} answers, so that both can be compared.
 */
final class RowText
{
    static final String NULL = "\\N";

    private RowText() {}

    static List<List<String>> rows(MaterializedResult result)
    {
        return result.getMaterializedRows().stream().map(RowText::row).collect(Collectors.toList());
    }

    private static List<String> row(MaterializedRow row)
    {
        List<String> fields = new ArrayList<>();
        for (Object field : row.getFields()) {
            fields.add(field == null ? NULL : text(field));
        }
        return fields;
    }

    private static String text(Object value)
    {
        return switch (value) {
            case null -> "null";
            case SqlVarbinary bytes -> HexFormat.of().formatHex(bytes.getBytes());
            case byte[] bytes -> HexFormat.of().formatHex(bytes);
            case MaterializedRow row -> text(row.getFields());
            case List<?> elements -> elements.stream().map(RowText::text).collect(Collectors.joining(", ", "[", "]"));
            case ZonedDateTime time -> time.toInstant().toString();
            default -> value.toString();
        };
    }
}
