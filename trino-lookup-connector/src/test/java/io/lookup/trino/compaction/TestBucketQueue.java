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
package io.lookup.trino.compaction;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.lookup.storage.format.manifest.BucketId;
import io.lookup.storage.format.row.BinaryRow;
import io.lookup.trino.compaction.WrittenBuckets.Batch;
import io.lookup.trino.compaction.WrittenBuckets.Statement;
import io.trino.spi.connector.SchemaTableName;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static org.assertj.core.api.Assertions.assertThat;

final class TestBucketQueue
{
    private static final SchemaTableName ORDERS = new SchemaTableName("default", "orders");

    @Test
    void testWaitsForTheCommit()
    {
        BucketQueue queue = new BucketQueue(10);
        Statement statement = statement("q1", ORDERS);
        assertThat(queue.expect(written(statement, 1, 2))).isZero();
        assertThat(queue.isExpected(statement)).isTrue();
        assertThat(queue.take(1)).isEmpty();
        assertThat(queue.expectedCount()).isEqualTo(2);

        queue.committed(statement);
        assertThat(queue.isExpected(statement)).isFalse();
        assertThat(queue.expectedCount()).isZero();
        assertThat(queue.queuedCount()).isEqualTo(2);
        Batch batch = queue.take(1).orElseThrow();
        assertThat(batch).isEqualTo(new Batch(statement, ImmutableSet.of(bucket(1), bucket(2)), ImmutableSet.of("q1-1", "q1-2")));
        assertThat(queue.queuedCount()).isZero();
        assertThat(queue.runningCount()).isEqualTo(2);
        queue.done(batch);
        assertThat(queue.runningCount()).isZero();
        assertThat(queue.take(1)).isEmpty();
    }

    @Test
    void testBucketIsCompactedByOneThreadAtATime()
    {
        BucketQueue queue = new BucketQueue(10);
        commit(queue, statement("q1", ORDERS), 1);
        Batch first = queue.take(2).orElseThrow();
        commit(queue, statement("q2", ORDERS), 1, 2);
        // of another table
        commit(queue, statement("q3", new SchemaTableName("default", "other")), 1);

        Batch second = queue.take(2).orElseThrow();
        assertThat(second.buckets()).containsExactly(bucket(2));
        Batch third = queue.take(2).orElseThrow();
        assertThat(third.statement().table()).isNotEqualTo(ORDERS);
        assertThat(queue.take(2)).isEmpty();
        assertThat(queue.queuedCount()).isEqualTo(1);

        queue.done(first);
        assertThat(queue.take(2).map(Batch::buckets)).isEqualTo(Optional.of(ImmutableSet.of(bucket(1))));
    }

    /**
     * One compaction lifts what all of them wrote. The last is remembered: whether the others' rows are still there, the
     * compaction sees.
     */
    @Test
    void testStatementsOnOneBucketAreOneCompaction()
    {
        BucketQueue queue = new BucketQueue(10);
        commit(queue, statement("q1", ORDERS), 1);
        commit(queue, statement("q2", ORDERS), 1);
        commit(queue, statement("q3", ORDERS), 1);
        assertThat(queue.queuedCount()).isEqualTo(1);
        assertThat(queue.take(1)).hasValue(new Batch(statement("q3", ORDERS), ImmutableSet.of(bucket(1)), ImmutableSet.of("q3-1")));
        assertThat(queue.take(1)).isEmpty();
    }

    @Test
    void testBucketsAreDividedAmongThreads()
    {
        BucketQueue queue = new BucketQueue(10);
        commit(queue, statement("q1", ORDERS), 1, 2, 3, 4, 5);
        assertThat(queue.take(3).orElseThrow().buckets()).containsExactly(bucket(1), bucket(2));
        assertThat(queue.take(3).orElseThrow().buckets()).containsExactly(bucket(3));
    }

    @Test
    void testBound()
    {
        BucketQueue queue = new BucketQueue(3);
        commit(queue, statement("q1", ORDERS), 1, 2);
        Statement statement = statement("q2", ORDERS);
        assertThat(queue.expect(written(statement, 3, 4, 5))).isEqualTo(2);
        assertThat(queue.expectedCount()).isEqualTo(1);
        assertThat(queue.forget(statement)).isEqualTo(1);
        assertThat(queue.forget(statement)).isZero();
        assertThat(queue.expect(written(statement, 3))).isZero();
        assertThat(queue.clear()).isEqualTo(3);
        assertThat(queue.take(1)).isEmpty();
        queue.committed(statement);
        assertThat(queue.take(1)).isEmpty();

        Statement lost = statement("q3", ORDERS);
        assertThat(new BucketQueue(0).expect(written(lost, 1))).isEqualTo(1);
    }

    /**
     * A statement that failed elsewhere after its sinks had ended must not keep others out.
     */
    @Test
    void testOldestExpectationMakesRoom()
    {
        BucketQueue queue = new BucketQueue(4);
        Statement failed = statement("q1", ORDERS);
        Statement late = statement("q2", ORDERS);
        assertThat(queue.expect(written(failed, 1, 2))).isZero();
        assertThat(queue.expect(written(late, 3))).isZero();
        Statement statement = statement("q3", ORDERS);
        assertThat(queue.expect(written(statement, 1, 2, 3))).isEqualTo(2);
        assertThat(queue.isExpected(failed)).isFalse();
        assertThat(queue.expectedCount()).isEqualTo(4);
        queue.committed(statement);
        assertThat(queue.take(1).orElseThrow().buckets()).containsExactly(bucket(1), bucket(2), bucket(3));

        // what has committed is not given up for what may never
        commit(queue, statement("q4", ORDERS), 1, 2, 3);
        assertThat(queue.expect(written(statement("q5", ORDERS), 5))).isEqualTo(1);
        assertThat(queue.isExpected(late)).isFalse();
        assertThat(queue.expect(written(statement("q5", ORDERS), 6))).isEqualTo(1);
        assertThat(queue.expectedCount()).isEqualTo(1);
        assertThat(queue.queuedCount()).isEqualTo(3);
    }

    private static void commit(BucketQueue queue, Statement statement, Integer... buckets)
    {
        assertThat(queue.expect(written(statement, buckets))).isZero();
        queue.committed(statement);
    }

    private static WrittenBuckets written(Statement statement, Integer... buckets)
    {
        return new WrittenBuckets(statement, Arrays.stream(buckets).collect(toImmutableMap(TestBucketQueue::bucket, bucket -> Set.of(statement.queryId() + "-" + bucket))));
    }

    private static Statement statement(String queryId, SchemaTableName table)
    {
        return new Statement(queryId, table, ImmutableMap.of());
    }

    private static BucketId bucket(int bucket)
    {
        return new BucketId(BinaryRow.EMPTY, bucket);
    }
}
