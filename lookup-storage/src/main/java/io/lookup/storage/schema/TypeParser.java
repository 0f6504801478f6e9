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
package io.lookup.storage.schema;

import com.google.common.collect.ImmutableList;
import io.lookup.storage.StorageErrorCode;
import io.lookup.storage.StorageException;
import io.lookup.storage.schema.DataType.ArrayType;
import io.lookup.storage.schema.DataType.MultisetType;
import io.lookup.storage.schema.DataType.ScalarType;

import java.util.List;
import java.util.Locale;

import static java.util.Objects.requireNonNull;

/**
 * Parses the text form of a type, e.g. {@code DECIMAL(9, 2) NOT NULL}, with all aliases and defaults that Paimon
 * accepts. Keywords are case-insensitive and blanks are free.
 */
public final class TypeParser
{
    static final int DEFAULT_DECIMAL_PRECISION = 10;
    static final int MAX_DECIMAL_PRECISION = 38;
    static final int DEFAULT_TIMESTAMP_PRECISION = 6;
    static final int MAX_TIME_PRECISION = 9;

    private final String text;
    private final List<String> tokens;
    private int position;

    private TypeParser(String text)
    {
        this.text = requireNonNull(text, "text is null");
        this.tokens = tokenize(text);
    }

    /**
     * @throws IllegalArgumentException if the text is not a type
     * @throws StorageException UNSUPPORTED_TYPE for a type of the format that is not supported here
     */
    public static DataType parse(String text)
    {
        TypeParser parser = new TypeParser(text);
        DataType type = parser.parseType();
        if (parser.position < parser.tokens.size()) {
            throw parser.error("unexpected '%s'".formatted(parser.tokens.get(parser.position)));
        }
        return type;
    }

    private DataType parseType()
    {
        DataType type = parseScalar();
        type = type.withNullable(parseNullable());
        if (accept("ARRAY")) {
            return new ArrayType(type, parseNullable());
        }
        if (accept("MULTISET")) {
            return new MultisetType(type, parseNullable());
        }
        return type;
    }

    private boolean parseNullable()
    {
        if (accept("NOT")) {
            expect("NULL");
            return false;
        }
        accept("NULL");
        return true;
    }

    private ScalarType parseScalar()
    {
        String name = next();
        return switch (name) {
            case "CHAR" -> length(TypeRoot.CHAR);
            case "VARCHAR" -> length(TypeRoot.VARCHAR);
            case "STRING" -> scalar(TypeRoot.VARCHAR, DataType.UNBOUNDED_LENGTH);
            case "BOOLEAN" -> scalar(TypeRoot.BOOLEAN, 0);
            case "BINARY" -> length(TypeRoot.BINARY);
            case "VARBINARY" -> length(TypeRoot.VARBINARY);
            case "BYTES" -> scalar(TypeRoot.VARBINARY, DataType.UNBOUNDED_LENGTH);
            case "DECIMAL", "NUMERIC", "DEC" -> decimal();
            case "TINYINT" -> scalar(TypeRoot.TINYINT, 0);
            case "SMALLINT" -> scalar(TypeRoot.SMALLINT, 0);
            case "INT", "INTEGER" -> scalar(TypeRoot.INTEGER, 0);
            case "BIGINT" -> scalar(TypeRoot.BIGINT, 0);
            case "FLOAT" -> scalar(TypeRoot.FLOAT, 0);
            case "DOUBLE" -> {
                accept("PRECISION");
                yield scalar(TypeRoot.DOUBLE, 0);
            }
            case "DATE" -> scalar(TypeRoot.DATE, 0);
            case "TIME" -> {
                int precision = fractionalDigits(0);
                if (accept("WITHOUT")) {
                    expect("TIME");
                    expect("ZONE");
                }
                yield scalar(TypeRoot.TIME, precision);
            }
            case "TIMESTAMP" -> timestamp();
            case "TIMESTAMP_LTZ" -> scalar(TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE, fractionalDigits(DEFAULT_TIMESTAMP_PRECISION));
            case "VARIANT" -> scalar(TypeRoot.VARIANT, 0);
            case "BLOB", "VECTOR", "GEOMETRY", "GEOGRAPHY" -> throw new StorageException(StorageErrorCode.UNSUPPORTED_TYPE, "Type %s is not supported".formatted(text));
            default -> throw error("unknown type name '%s'".formatted(name));
        };
    }

    private ScalarType timestamp()
    {
        int precision = fractionalDigits(DEFAULT_TIMESTAMP_PRECISION);
        if (accept("WITHOUT")) {
            expect("TIME");
            expect("ZONE");
        }
        else if (accept("WITH")) {
            expect("LOCAL");
            expect("TIME");
            expect("ZONE");
            return scalar(TypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE, precision);
        }
        return scalar(TypeRoot.TIMESTAMP, precision);
    }

    private ScalarType length(TypeRoot root)
    {
        int length = 1;
        if (accept("(")) {
            length = number();
            expect(")");
        }
        if (length < 1) {
            throw error("a length is at least 1");
        }
        return scalar(root, length);
    }

    private ScalarType decimal()
    {
        int precision = DEFAULT_DECIMAL_PRECISION;
        int scale = 0;
        if (accept("(")) {
            precision = number();
            if (accept(",")) {
                scale = number();
            }
            expect(")");
        }
        if (precision < 1 || precision > MAX_DECIMAL_PRECISION || scale > precision) {
            throw error("a decimal has 1 to %s digits, of which up to all are behind the point".formatted(MAX_DECIMAL_PRECISION));
        }
        return new ScalarType(TypeRoot.DECIMAL, precision, scale, true);
    }

    private int fractionalDigits(int defaultPrecision)
    {
        int precision = defaultPrecision;
        if (accept("(")) {
            precision = number();
            expect(")");
        }
        if (precision > MAX_TIME_PRECISION) {
            throw error("a time has 0 to %s fractional digits".formatted(MAX_TIME_PRECISION));
        }
        return precision;
    }

    private static ScalarType scalar(TypeRoot root, int precision)
    {
        return new ScalarType(root, precision, 0, true);
    }

    private int number()
    {
        String token = next();
        if (!isDigit(token.charAt(0))) {
            throw error("a number expected, not '%s'".formatted(token));
        }
        try {
            return Integer.parseInt(token);
        }
        catch (NumberFormatException e) {
            throw error("number %s is too large".formatted(token));
        }
    }

    private String next()
    {
        if (position >= tokens.size()) {
            throw error("unexpected end");
        }
        String token = tokens.get(position);
        position++;
        return token;
    }

    private boolean accept(String token)
    {
        if (position < tokens.size() && tokens.get(position).equals(token)) {
            position++;
            return true;
        }
        return false;
    }

    private void expect(String token)
    {
        if (!accept(token)) {
            throw error("'%s' expected".formatted(token));
        }
    }

    private IllegalArgumentException error(String reason)
    {
        return new IllegalArgumentException("Cannot parse type '%s': %s".formatted(text, reason));
    }

    /**
     * Words and numbers in upper case, and the delimiters.
     */
    private static List<String> tokenize(String text)
    {
        ImmutableList.Builder<String> tokens = ImmutableList.builder();
        int index = 0;
        while (index < text.length()) {
            char character = text.charAt(index);
            if (Character.isWhitespace(character)) {
                index++;
                continue;
            }
            int end = index + 1;
            if (!isDelimiter(character)) {
                boolean digits = isDigit(character);
                while (end < text.length() && !isDelimiter(text.charAt(end)) && !Character.isWhitespace(text.charAt(end)) && (!digits || isDigit(text.charAt(end)))) {
                    end++;
                }
            }
            tokens.add(text.substring(index, end).toUpperCase(Locale.ROOT));
            index = end;
        }
        return tokens.build();
    }

    private static boolean isDigit(char character)
    {
        return character >= '0' && character <= '9';
    }

    private static boolean isDelimiter(char character)
    {
        return "<>(),.".indexOf(character) >= 0;
    }
}
