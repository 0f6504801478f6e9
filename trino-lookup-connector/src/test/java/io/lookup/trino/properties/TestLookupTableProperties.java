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
package io.lookup.trino.properties;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static io.lookup.trino.properties.LookupTableProperties.fromSchema;
import static io.lookup.trino.properties.LookupTableProperties.parseOptionList;
import static io.lookup.trino.properties.LookupTableProperties.toOptions;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

final class TestLookupTableProperties
{
    @Test
    void testOptionsOfEveryKind()
    {
        Map<String, Object> properties = ImmutableMap.<String, Object>builder()
                .put("primary_key", ImmutableList.of("id"))
                .put("bucket", 4)
                .put("bucket_key", ImmutableList.of("a", "b"))
                .put("lookup_wait", false)
                .put("changelog_producer", "lookup")
                .put("changelog_producer_row_deduplicate_ignore_fields", ImmutableList.of("x"))
                .put("lookup_compact_max_interval", 7)
                .put("options", ImmutableList.of("fields.a.aggregate-function=sum", "note= a=b "))
                .buildOrThrow();
        Map<String, String> options = toOptions(properties);
        assertThat(options).containsOnly(
                Map.entry("bucket", "4"),
                Map.entry("bucket-key", "a,b"),
                Map.entry("lookup-wait", "false"),
                Map.entry("changelog-producer", "lookup"),
                Map.entry("changelog-producer.row-deduplicate-ignore-fields", "x"),
                Map.entry("lookup-compact.max-interval", "7"),
                Map.entry("fields.a.aggregate-function", "sum"),
                Map.entry("note", "a=b"));
        assertThat(toOptions(fromSchema(List.of("id"), List.of(), options))).isEqualTo(options);
    }

    @Test
    void testEveryPropertyHasItsOption()
    {
        assertThat(new LookupTableProperties().getTableProperties())
                .allSatisfy(property -> assertThat(property.getDefaultValue()).isNull())
                .extracting(property -> property.getName())
                .containsExactlyInAnyOrder(
                        "primary_key", "partitioned_by", "bucket", "bucket_key", "merge_engine", "sequence_field", "changelog_producer",
                        "changelog_producer_row_deduplicate", "changelog_producer_row_deduplicate_ignore_fields", "deletion_vectors_enabled",
                        "lookup_wait", "lookup_compact", "lookup_compact_max_interval", "file_format", "file_compression", "target_file_size", "options");
    }

    @Test
    void testValueThatNoPropertyCanSayStaysAnOption()
    {
        assertThat(fromSchema(List.of("id"), List.of("dt"), Map.of("bucket", "many", "lookup-wait", "yes", "file.format", "parquet")))
                .isEqualTo(Map.of(
                        "primary_key", List.of("id"),
                        "partitioned_by", List.of("dt"),
                        "file_format", "parquet",
                        "options", List.of("bucket=many", "lookup-wait=yes")));
    }

    @Test
    void testColumnNamesAreLowerCase()
    {
        assertThat(toOptions(Map.of("bucket_key", List.of("Id", "DT"), "sequence_field", List.of("At"), "merge_engine", "Aggregation")))
                .isEqualTo(Map.of("bucket-key", "id,dt", "sequence.field", "at", "merge-engine", "Aggregation"));
    }

    @Test
    void testAbsentBucketCountOfKeyedTableIsSaid()
    {
        assertThat(fromSchema(List.of("id"), List.of(), Map.of())).isEqualTo(Map.of("primary_key", List.of("id"), "bucket", -1));
        assertThat(fromSchema(List.of(), List.of(), Map.of())).isEmpty();
    }

    @Test
    void testBadOptions()
    {
        assertTrinoExceptionThrownBy(() -> toOptions(Map.of("bucket", 4, "options", List.of("bucket=4"))))
                .hasErrorCode(INVALID_TABLE_PROPERTY)
                .hasMessageContaining("bucket");
        assertTrinoExceptionThrownBy(() -> parseOptionList(List.of("no-value")))
                .hasErrorCode(INVALID_TABLE_PROPERTY)
                .hasMessageContaining("no-value");
        assertTrinoExceptionThrownBy(() -> parseOptionList(List.of("=x")))
                .hasErrorCode(INVALID_TABLE_PROPERTY);
        assertTrinoExceptionThrownBy(() -> parseOptionList(List.of("a=1", "a=2")))
                .hasErrorCode(INVALID_TABLE_PROPERTY)
                .hasMessageContaining("twice");
        assertTrinoExceptionThrownBy(() -> parseOptionList(List.of("primary-key=id")))
                .hasErrorCode(INVALID_TABLE_PROPERTY)
                .hasMessageContaining("primary_key");
    }
}
