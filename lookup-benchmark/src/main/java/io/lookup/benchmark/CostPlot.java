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
package io.lookup.benchmark;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import static java.lang.String.format;

/**
 * Draws the table that {@link LookupCostBenchmark} writes: seconds of a statement over the rows that it changes, both axes logarithmic, a panel for
 * each kind of caches and a line for each engine and size of the table.
 * <p>
 * Arguments: file with the table, SVG file to write.
 */
public final class CostPlot
{
    private static final int PANEL_WIDTH = 420;
    private static final int PANEL_HEIGHT = 300;
    private static final int LEFT = 60;
    private static final int TOP = 40;
    private static final int BOTTOM = 50;
    private static final int LEGEND = 30;
    private static final Map<String, String> COLORS = Map.of("lookup", "#1b6ca8", "paimon", "#c2571a");
    private static final List<String> DASHES = ImmutableList.of("", "6 4", "2 3", "8 3 2 3");

    private CostPlot() {}

    public static void main(String[] arguments)
            throws IOException
    {
        if (arguments.length != 2) {
            throw new IllegalArgumentException("Arguments are the file with the table and the SVG file to write");
        }
        List<Cost> costs = Files.readAllLines(Path.of(arguments[0])).stream()
                .map(line -> Splitter.on('|').trimResults().splitToList(line))
                .filter(cells -> cells.size() > 7 && cells.get(1).equals("update"))
                .map(cells -> new Cost(number(cells.get(2)), number(cells.get(3)), cells.get(4), cells.get(5), number(cells.get(6))))
                .toList();
        if (costs.isEmpty()) {
            throw new IllegalArgumentException("File %s has no row with the work 'update'".formatted(arguments[0]));
        }
        Files.writeString(Path.of(arguments[1]), draw(costs));
    }

    private static long number(String text)
    {
        return Long.parseLong(text.replace(",", ""));
    }

    static String draw(List<Cost> costs)
    {
        List<String> kinds = costs.stream().map(Cost::caches).distinct().toList();
        Axis x = Axis.of(costs.stream().mapToDouble(Cost::changed).toArray(), PANEL_WIDTH);
        Axis y = Axis.of(costs.stream().mapToDouble(Cost::millis).toArray(), PANEL_HEIGHT);
        int width = kinds.size() * (PANEL_WIDTH + LEFT) + 20;
        StringBuilder svg = new StringBuilder();
        svg.append(format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" font-family=\"sans-serif\" font-size=\"12\">%n", width, TOP + PANEL_HEIGHT + BOTTOM + LEGEND));
        svg.append(format("<rect width=\"%s\" height=\"%s\" fill=\"white\"/>%n", width, TOP + PANEL_HEIGHT + BOTTOM + LEGEND));
        for (int panel = 0; panel < kinds.size(); panel++) {
            String kind = kinds.get(panel);
            svg.append(format("<g transform=\"translate(%s,%s)\">%n", LEFT + panel * (PANEL_WIDTH + LEFT), TOP));
            drawAxes(svg, kind, x, y);
            Map<Series, List<Cost>> series = new TreeMap<>(Comparator.comparing(Series::engine).thenComparing(Series::stored));
            for (Cost cost : costs) {
                if (cost.caches().equals(kind)) {
                    series.computeIfAbsent(new Series(cost.engine(), cost.stored()), _ -> new ArrayList<>()).add(cost);
                }
            }
            List<Long> sizes = costs.stream().map(Cost::stored).distinct().sorted().toList();
            int index = 0;
            for (Map.Entry<Series, List<Cost>> entry : series.entrySet()) {
                drawLine(svg, entry.getKey(), DASHES.get(sizes.indexOf(entry.getKey().stored()) % DASHES.size()), entry.getValue(), x, y, index);
                index++;
            }
            svg.append("</g>\n");
        }
        return svg.append("</svg>\n").toString();
    }

    private static void drawAxes(StringBuilder svg, String kind, Axis x, Axis y)
    {
        svg.append(format("<text x=\"%s\" y=\"-14\" text-anchor=\"middle\" font-weight=\"bold\">caches %s</text>%n", PANEL_WIDTH / 2, kind));
        svg.append(format("<rect width=\"%s\" height=\"%s\" fill=\"none\" stroke=\"#888\"/>%n", PANEL_WIDTH, PANEL_HEIGHT));
        for (int power = x.from(); power <= x.to(); power++) {
            double place = x.place(Math.pow(10, power));
            svg.append(format(Locale.ENGLISH, "<path d=\"M%.1f 0V%s\" stroke=\"#ddd\"/>%n", place, PANEL_HEIGHT));
            svg.append(format(Locale.ENGLISH, "<text x=\"%.1f\" y=\"%s\" text-anchor=\"middle\">%,.0f</text>%n", place, PANEL_HEIGHT + 16, Math.pow(10, power)));
        }
        for (int power = y.from(); power <= y.to(); power++) {
            double place = PANEL_HEIGHT - y.place(Math.pow(10, power));
            svg.append(format(Locale.ENGLISH, "<path d=\"M0 %.1fH%s\" stroke=\"#ddd\"/>%n", place, PANEL_WIDTH));
            svg.append(format(Locale.ENGLISH, "<text x=\"-6\" y=\"%.1f\" text-anchor=\"end\">%s s</text>%n", place + 4, seconds(power)));
        }
        svg.append(format("<text x=\"%s\" y=\"%s\" text-anchor=\"middle\">changed rows</text>%n", PANEL_WIDTH / 2, PANEL_HEIGHT + 34));
    }

    private static String seconds(int powerOfMillis)
    {
        return powerOfMillis >= 3 ? format(Locale.ENGLISH, "%.0f", Math.pow(10, powerOfMillis - 3)) : format(Locale.ENGLISH, "%." + (3 - powerOfMillis) + "f", Math.pow(10, powerOfMillis - 3));
    }

    private static void drawLine(StringBuilder svg, Series series, String dash, List<Cost> costs, Axis x, Axis y, int index)
    {
        String color = COLORS.getOrDefault(series.engine(), "#444");
        StringBuilder points = new StringBuilder();
        costs.stream().sorted(Comparator.comparingLong(Cost::changed)).forEach(cost ->
                points.append(format(Locale.ENGLISH, "%.1f,%.1f ", x.place(cost.changed()), PANEL_HEIGHT - y.place(cost.millis()))));
        svg.append(format("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>%n", points.toString().strip(), color, dash));
        for (Cost cost : costs) {
            svg.append(format(Locale.ENGLISH, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n", x.place(cost.changed()), PANEL_HEIGHT - y.place(cost.millis()), color));
        }
        int left = (index % 2) * PANEL_WIDTH / 2;
        int top = PANEL_HEIGHT + BOTTOM + (index / 2) * 14;
        svg.append(format("<path d=\"M%s %sh26\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>%n", left, top - 4, color, dash));
        svg.append(format(Locale.ENGLISH, "<text x=\"%s\" y=\"%s\">%s, %,d stored rows</text>%n", left + 32, top, series.engine().equals("paimon") ? "Paimon" : "this engine", series.stored()));
    }

    /**
     * @param stored rows of the table
     * @param changed rows of the statement
     * @param caches {@code cold} or {@code warm}
     */
    record Cost(long stored, long changed, String caches, String engine, long millis) {}

    private record Series(String engine, long stored) {}

    /**
     * Powers of ten over some pixels.
     */
    private record Axis(int from, int to, int pixels)
    {
        static Axis of(double[] values, int pixels)
        {
            double min = Double.MAX_VALUE;
            double max = 1;
            for (double value : values) {
                min = Math.min(min, Math.max(1, value));
                max = Math.max(max, value);
            }
            int from = (int) Math.floor(Math.log10(min));
            return new Axis(from, Math.max(from + 1, (int) Math.ceil(Math.log10(max))), pixels);
        }

        double place(double value)
        {
            return (Math.log10(Math.max(1, value)) - from) / (to - from) * pixels;
        }
    }
}
