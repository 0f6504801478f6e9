# Shared by the scripts of bin: find a JDK, fetch Trino, build the plugin. Sourced, not run.
# Works with bash 3.2, which macOS has.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
CACHE=$ROOT/.cache
# the first one: profiles for other versions come later in the file
TRINO_VERSION=$(sed -n '/<dep\.trino\.version>/{s:.*<dep\.trino\.version>\(.*\)</dep\.trino\.version>.*:\1:p;q;}' "$ROOT/pom.xml")
PLUGIN=$ROOT/trino-lookup-connector/target/plugin/lookup
MINIMUM_JAVA=24

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# The major version of the JDK in folder $1, nothing if there is none.
java_major() {
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 0
    local version
    version=$(sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true)
    if [ -z "$version" ]; then
        version=$("$1/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
    fi
    echo "$version"
}

# Sets and exports JAVA_HOME to a JDK that is new enough.
find_java() {
    local candidate version path_home=""
    if command -v java >/dev/null 2>&1; then
        path_home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p' || true)
    fi
    for candidate in \
        "${JAVA_HOME:-}" \
        "$path_home" \
        /usr/lib/jvm/* \
        /usr/java/* \
        /opt/java/* /opt/jdk* /opt/*jdk* \
        "$HOME"/.sdkman/candidates/java/* \
        "$HOME"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home \
        /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
        [ -n "$candidate" ] || continue
        version=$(java_major "$candidate")
        if [ -n "$version" ] && [ "$version" -ge "$MINIMUM_JAVA" ]; then
            export JAVA_HOME=$candidate
            return
        fi
    done
    fail "no JDK $MINIMUM_JAVA or newer found. Install one, for example Eclipse Temurin 25 (https://adoptium.net; 'apt install temurin-25-jdk', 'brew install openjdk', 'sdk install java 25-tem'), or set JAVA_HOME to it."
}

# Maven on the found JDK, without that JDK's warnings about Maven's own libraries.
maven() {
    (cd "$ROOT" && MAVEN_OPTS="${MAVEN_OPTS:-} --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow" ./mvnw -q "$@")
}

# Copies the artifact $1 to the folder $2: from LOOKUP_ARCHIVES, a folder of already fetched archives, if that is set and
# has it, else from Maven Central or the mirror of the user's Maven settings.
fetch() {
    local group name version type classifier
    IFS=: read -r group name version type classifier <<<"$1"
    local archive=${LOOKUP_ARCHIVES:-}/$name-$version${classifier:+-$classifier}.$type
    if [ -n "${LOOKUP_ARCHIVES:-}" ] && [ -f "$archive" ]; then
        mkdir -p "$2" && cp "$archive" "$2/" || fail "could not copy $archive to $2"
        return
    fi
    echo "Fetching $1 (once) ..." >&2
    maven -N dependency:copy "-Dartifact=$1" "-DoutputDirectory=$2" -Dmdep.overWriteReleases=true >&2 \
        || fail "could not fetch $1; see Maven's message above."
}

# Sets SERVER_HOME. Of the server's archive only its own libraries are kept: no plugin of it is needed.
find_server() {
    SERVER_HOME=$CACHE/trino-server-$TRINO_VERSION
    [ -d "$SERVER_HOME/lib" ] && return
    local work=$CACHE/fetch-server.$$
    fetch "io.trino:trino-server-core:$TRINO_VERSION:tar.gz" "$work"
    tar -xzf "$work/trino-server-core-$TRINO_VERSION.tar.gz" -C "$work" "trino-server-core-$TRINO_VERSION/lib"
    # whoever unpacks at the same time wins or loses as a whole; what lost lies within what won
    mv "$work/trino-server-core-$TRINO_VERSION" "$SERVER_HOME" 2>/dev/null || [ -d "$SERVER_HOME/lib" ] || fail "could not create $SERVER_HOME"
    rm -rf "$work" "$SERVER_HOME/trino-server-core-$TRINO_VERSION"
}

# Sets WHOLE_SERVER_HOME: the server with the plugins of its own, which benchmarks compare with.
find_whole_server() {
    WHOLE_SERVER_HOME=$CACHE/trino-whole-server-$TRINO_VERSION
    [ -d "$WHOLE_SERVER_HOME/lib" ] && return
    local work=$CACHE/fetch-whole-server.$$
    fetch "io.trino:trino-server:$TRINO_VERSION:tar.gz" "$work"
    # its plugins share files by hard links, so that a part of it cannot be unpacked alone
    tar -xzf "$work/trino-server-$TRINO_VERSION.tar.gz" -C "$work"
    mv "$work/trino-server-$TRINO_VERSION" "$WHOLE_SERVER_HOME" 2>/dev/null || [ -d "$WHOLE_SERVER_HOME/lib" ] || fail "could not create $WHOLE_SERVER_HOME"
    rm -rf "$work" "$WHOLE_SERVER_HOME/trino-server-$TRINO_VERSION"
}

# Sets CLI_JAR.
find_cli() {
    CLI_JAR=$CACHE/trino-cli-$TRINO_VERSION.jar
    [ -f "$CLI_JAR" ] && return
    local work=$CACHE/fetch-cli.$$
    fetch "io.trino:trino-cli:$TRINO_VERSION:jar:executable" "$work"
    mv "$work/trino-cli-$TRINO_VERSION-executable.jar" "$CLI_JAR"
    rm -rf "$work"
}

# Builds the plugin folder where it is missing or older than a source. LOOKUP_PLUGIN names a folder to take as it is.
find_plugin() {
    local jar newer=""
    if [ -n "${LOOKUP_PLUGIN:-}" ]; then
        PLUGIN=$LOOKUP_PLUGIN
        ls "$PLUGIN"/trino-lookup-connector-*.jar >/dev/null 2>&1 || fail "LOOKUP_PLUGIN=$LOOKUP_PLUGIN is not a folder with the connector"
        return
    fi
    jar=$(ls -t "$PLUGIN"/trino-lookup-connector-*.jar 2>/dev/null | head -n 1 || true)
    if [ -n "$jar" ]; then
        newer=$(cd "$ROOT" && find pom.xml lookup-storage/pom.xml lookup-storage/src/main \
            trino-lookup-connector/pom.xml trino-lookup-connector/src/main trino-lookup-connector/src/build \
            -type f -newer "$jar" -print -quit)
        [ -z "$newer" ] && return
    fi
    echo "Building the plugin ${newer:+($newer is newer) }..." >&2
    maven package -DskipTests -Dcheckstyle.skip -Denforcer.skip -Dsort.skip -pl trino-lookup-connector -am >&2 \
        || fail "the build failed; './mvnw package -DskipTests' shows more."
    ls "$PLUGIN"/trino-lookup-connector-*.jar >/dev/null 2>&1 || fail "the build made no plugin in $PLUGIN"
}

check_port() {
    case $1 in
        ''|*[!0-9]*) fail "--port must be a number, not '$1'" ;;
    esac
    [ "$1" -ge 1 ] && [ "$1" -le 65535 ] || fail "--port must be between 1 and 65535, not $1"
}

# Whether something listens on port $1 of this machine.
listens() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

absolute() {
    case $1 in
        /*) echo "$1" ;;
        *) echo "$PWD/$1" ;;
    esac
}

# The Trino CLI with whatever arguments.
trino_cli() {
    local terminal=
    # without a terminal the CLI's line editor would warn that there is none
    [ -t 0 ] || terminal=-Dorg.jline.terminal.dumb=true
    # the class data archive, which the JVM keeps by itself, halves the time to start
    "$JAVA_HOME/bin/java" $terminal -Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED \
        --sun-misc-unsafe-memory-access=allow -XX:+AutoCreateSharedArchive "-XX:SharedArchiveFile=$CLI_JAR.jsa" -Xlog:disable \
        -jar "$CLI_JAR" "$@"
}
