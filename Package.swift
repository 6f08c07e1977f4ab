// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")

/// The traits of which any needs a part of the package.
///
/// SwiftPM 6.3 names a package's traits to the compiler in another order at each run, and compiles all of the package
/// again when the order has changed. So no trait turns on another one, and one alone, `All`, is on unless a package
/// asks for others.
enum Needed {
    static let sync: Set = ["Sync", "AsyncHTTPClient", "Encryption", "Command", "All"]
    static let asyncHTTPClient: Set = ["AsyncHTTPClient", "All"]
    static let encryption: Set = ["Encryption", "Command", "All"]
    static let server: Set = ["Server", "TLS", "Command", "All"]
    static let tls: Set = ["TLS", "Command", "All"]
    static let command: Set = ["Command", "All"]
    static let macros: Set = ["Macros", "All"]
}

/// A library that only targets of some traits need: with all of them off, a package that depends on this one does not
/// fetch it.
func library(_ name: String, _ package: String, for traits: Set<String>) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: traits))
}
let crypto = library("Crypto", "swift-crypto", for: Needed.tls.union(Needed.encryption))
let cryptoExtras = library("CryptoExtras", "swift-crypto", for: Needed.encryption)
let arguments = library("ArgumentParser", "swift-argument-parser", for: Needed.command)
let jwt = library("JWTKit", "jwt-kit", for: Needed.tls)
let metrics = library("CoreMetrics", "swift-metrics", for: Needed.server)
let overNetwork = Needed.server.union(Needed.asyncHTTPClient)
let nio = library("NIOCore", "swift-nio", for: overNetwork)
let http1 = library("NIOHTTP1", "swift-nio", for: overNetwork)
let tls = library("NIOSSL", "swift-nio-ssl", for: Needed.tls)
/// An HTTP client.
let client = [
    library("AsyncHTTPClient", "async-http-client", for: Needed.tls.union(Needed.asyncHTTPClient)), nio, http1,
]
/// The same for sync, which goes over URLSession on Apple's systems.
let syncClient = [
    ("AsyncHTTPClient", "async-http-client"), ("NIOCore", "swift-nio"), ("NIOHTTP1", "swift-nio"),
    ("NIOSSL", "swift-nio-ssl"),
].map { name, package in
    Target.Dependency.product(
        name: name, package: package, condition: .when(platforms: [.linux], traits: Needed.asyncHTTPClient))
}

let package = Package(
    name: "Backstitch",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Backstitch", targets: ["Backstitch"]),
        .library(name: "BackstitchSQLite", targets: ["BackstitchSQLite"]),
        .library(name: "BackstitchPostgreSQL", targets: ["BackstitchPostgreSQL"]),
        .library(name: "BackstitchSync", targets: ["BackstitchSync"]),
        .library(name: "BackstitchServer", targets: ["BackstitchServer"]),
        .library(name: "BackstitchMacros", targets: ["BackstitchMacros"]),
        .library(name: "BackstitchTestKit", targets: ["BackstitchTestKit"]),
        // Public are only the two values of the wire that the configuration of a server has: limits and users' names.
        .library(name: "CloudWire", targets: ["CloudWire"]),
        .executable(name: "backstitch", targets: ["BackstitchCLI"]),
        .executable(name: "backstitch-simulate", targets: ["BackstitchSimulate"]),
    ],
    // A package that asks for some of them, or for none by `traits: []`, fetches and builds less.
    traits: [
        .default(enabledTraits: ["All"]),
        .trait(name: "All", description: "All of the others."),
        .trait(name: "Sync", description: "The sync store: BackstitchSync."),
        .trait(
            name: "AsyncHTTPClient",
            description:
                "The sync store over AsyncHTTPClient instead of URLSession; Apple's systems have URLSession either way."
        ),
        .trait(
            name: "Encryption",
            description: "Encrypted fields and keys of shared zones in the sync store, by swift-crypto."),
        .trait(name: "Server", description: "The zone server: BackstitchServer."),
        .trait(
            name: "TLS",
            description:
                "All of the server that needs TLS or public keys: https, server-to-server keys, sign-in by providers, APNs, S3."
        ),
        .trait(name: "Macros", description: "@Entity and its relatives: BackstitchMacros."),
        .trait(
            name: "Command",
            description: "The programs backstitch and backstitch-simulate, with the server and the sync store."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.0.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.10.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax.git", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        .target(name: "Backstitch", dependencies: ["BackstitchSupport", log], swiftSettings: settings),
        .target(name: "CloudWire", dependencies: ["BackstitchSupport"], swiftSettings: settings),
        // The floor on which all stand: Foundation and the system alone.
        .target(name: "BackstitchSupport", dependencies: ["CSHA256"], swiftSettings: settings),
        .target(name: "CSHA256"),
        .target(name: "BackstitchSQL", dependencies: ["Backstitch", "BackstitchSupport"], swiftSettings: settings),
        .target(
            name: "BackstitchSQLite",
            dependencies: ["Backstitch", "BackstitchSQL", "BackstitchSupport", grdb, sqlite, log],
            path: "Backends/SQLite", swiftSettings: settings),
        .systemLibrary(
            name: "CLibPQ", path: "Backends/CLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "BackstitchPostgreSQL",
            dependencies: ["Backstitch", "BackstitchSQL", "BackstitchSupport", "CLibPQ", log],
            path: "Backends/PostgreSQL", swiftSettings: settings),
        .target(
            name: "BackstitchSync",
            dependencies: [
                "Backstitch", "BackstitchSupport", "CloudWire", log, crypto, cryptoExtras,
            ] + syncClient,
            swiftSettings: settings + [
                .define("Sync", .when(traits: Needed.sync)),
                .define("AsyncHTTPClient", .when(traits: Needed.asyncHTTPClient)),
                .define("Encryption", .when(traits: Needed.encryption)),
            ]),
        .target(
            name: "BackstitchServer",
            dependencies: [
                "Backstitch", "BackstitchSQL", "BackstitchSQLite", "BackstitchSupport", "CloudWire", log, crypto,
                jwt,
                metrics,
                library("Tracing", "swift-distributed-tracing", for: Needed.server),
                library("Hummingbird", "hummingbird", for: Needed.server),
                library("HummingbirdCore", "hummingbird", for: Needed.server),
                library("HummingbirdTLS", "hummingbird", for: Needed.tls),
                tls,
                library("ServiceLifecycle", "swift-service-lifecycle", for: Needed.server),
            ] + client,
            swiftSettings: settings + [
                .define("Server", .when(traits: Needed.server)), .define("TLS", .when(traits: Needed.tls)),
            ]),
        .executableTarget(
            name: "BackstitchCLI",
            dependencies: [
                "Backstitch", "BackstitchPostgreSQL", "BackstitchSQL", "BackstitchServer", "BackstitchSupport",
                "CloudWire", log, arguments, metrics, nio, http1,
                library("AsyncHTTPClient", "async-http-client", for: Needed.command),
                library("Configuration", "swift-configuration", for: Needed.command),
                library("UnixSignals", "swift-service-lifecycle", for: Needed.command),
            ],
            swiftSettings: settings),
        .target(
            name: "BackstitchMacros", dependencies: ["Backstitch", "BackstitchMacroPlugin"],
            path: "Sources/BackstitchMacros/Library", swiftSettings: settings),
        // Apart from the plug-in, so that its tests do not depend on a plug-in. SwiftPM would build all tests, and all
        // that they use, as tools of this machine, beside the same modules of the programs.
        .target(
            name: "BackstitchMacroExpansion",
            dependencies: [
                library("SwiftDiagnostics", "swift-syntax", for: Needed.macros),
                library("SwiftSyntax", "swift-syntax", for: Needed.macros),
                library("SwiftSyntaxBuilder", "swift-syntax", for: Needed.macros),
                library("SwiftSyntaxMacros", "swift-syntax", for: Needed.macros),
            ],
            path: "Sources/BackstitchMacros/Expansion",
            swiftSettings: settings + [.define("Macros", .when(traits: Needed.macros))]),
        .macro(
            name: "BackstitchMacroPlugin",
            dependencies: [
                "BackstitchMacroExpansion",
                library("SwiftCompilerPlugin", "swift-syntax", for: Needed.macros),
                library("SwiftSyntaxMacros", "swift-syntax", for: Needed.macros),
            ],
            path: "Sources/BackstitchMacros/Plugin", swiftSettings: settings),
        .target(
            name: "BackstitchTestKit", dependencies: ["Backstitch", "BackstitchSupport", log], swiftSettings: settings),
        .target(
            name: "BackstitchSimulator",
            dependencies: [
                "Backstitch", "BackstitchSQL", "BackstitchSQLite", "BackstitchSupport", "BackstitchSync",
                "BackstitchServer", "BackstitchTestKit", "CloudWire",
                log,
                library("Hummingbird", "hummingbird", for: Needed.server),
                nio,
                library("NIOEmbedded", "swift-nio", for: Needed.server),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "BackstitchSimulate",
            dependencies: [
                "BackstitchSimulator", arguments,
                log,
            ],
            swiftSettings: settings),

        // The example backend, a package of its own for its readers. Here so that `make test` tries the kit on it, and
        // without package access, as theirs is.
        .target(
            name: "JSONFileStore", dependencies: ["Backstitch"], path: "Examples/JSONFileStore/Sources/JSONFileStore",
            packageAccess: false, swiftSettings: settings),
        // The example server; its tests run it as a process.
        .executableTarget(
            name: "TodoServer",
            dependencies: [
                "Backstitch", "BackstitchMacros", "BackstitchPostgreSQL", "BackstitchSQLite",
                library("Hummingbird", "hummingbird", for: Needed.server),
            ],
            path: "Examples/TodoServer/Sources/TodoServer", packageAccess: false),
        .testTarget(
            name: "TodoServerTests",
            dependencies: [
                "Backstitch", "BackstitchPostgreSQL", "BackstitchTestKit", "TestSupport", "TodoServer",
            ] + client,
            swiftSettings: settings),
        .testTarget(
            name: "JSONFileStoreTests", dependencies: ["Backstitch", "BackstitchTestKit", "JSONFileStore"],
            path: "Examples/JSONFileStore/Tests/JSONFileStoreTests", packageAccess: false, swiftSettings: settings),

        // Models and servers that several test targets use.
        .target(
            name: "TestSupport", dependencies: ["Backstitch", "BackstitchSupport", "BackstitchTestKit"],
            path: "Tests/Support", swiftSettings: settings),

        // A program that the tests of PostgreSQL run several times at once.
        .executableTarget(
            name: "PostgreSQLProbe", dependencies: ["Backstitch", "BackstitchPostgreSQL", "BackstitchTestKit"],
            path: "Tests/PostgreSQLProbe", swiftSettings: settings),

        .testTarget(
            name: "BackstitchTests",
            dependencies: ["Backstitch", "BackstitchSupport", "BackstitchTestKit", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "BackstitchSQLTests",
            dependencies: [
                "Backstitch", "BackstitchPostgreSQL", "BackstitchSQL", "BackstitchSQLite", "BackstitchTestKit",
                "TestSupport", grdb,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BackstitchSQLiteTests",
            dependencies: [
                "AllocationProbe", "Backstitch", "BackstitchSQL", "BackstitchSQLite", "BackstitchSupport",
                "BackstitchTestKit",
                "DurabilityProbe", "PowerCutProbe", "StoreCrashProbe", "TestSupport", grdb, log, sqlite,
            ],
            swiftSettings: settings),
        // A program that counts, in place of the C library, how often it asks for memory.
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .executableTarget(
            name: "AllocationProbe", dependencies: ["Backstitch", "BackstitchSQLite", "CAllocations"],
            path: "Tests/AllocationProbe", swiftSettings: settings),
        // A program that counts, in place of the C library, how often it waits for the disk.
        .target(name: "CDiskCalls", path: "Tests/CDiskCalls"),
        .executableTarget(
            name: "DurabilityProbe",
            dependencies: [
                "Backstitch", "BackstitchServer", "CloudWire", "BackstitchSQLite", "BackstitchSupport", "CDiskCalls",
                log,
            ] + client,
            path: "Tests/DurabilityProbe", swiftSettings: settings),
        // A program that those tests start, kill, and take the disk from.
        .executableTarget(
            name: "StoreCrashProbe", dependencies: ["Backstitch", "BackstitchSQL", "BackstitchSQLite"],
            path: "Tests/StoreCrashProbe",
            swiftSettings: settings),
        // A disk that forgets what was not synced: it sees what a program does to its files, through SQLite and the C
        // library.
        .target(
            name: "CPowerCut", dependencies: [sqlite], path: "Tests/CPowerCut",
            cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))]),
        // A program that works on such a disk, and cuts its power.
        .executableTarget(
            name: "PowerCutProbe",
            dependencies: [
                "Backstitch", "BackstitchSQL", "BackstitchSQLite", "BackstitchServer", "BackstitchSupport",
                "BackstitchTestKit",
                "CPowerCut",
                log,
            ] + client,
            path: "Tests/PowerCutProbe", swiftSettings: settings),
        .testTarget(
            name: "BackstitchPostgreSQLTests",
            dependencies: [
                "Backstitch", "BackstitchSQL", "BackstitchPostgreSQL", "BackstitchSupport", "BackstitchTestKit",
                "PostgreSQLProbe", "TestSupport", log,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CloudWireTests", dependencies: ["BackstitchTestKit", "CloudWire", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "BackstitchSupportTests",
            dependencies: ["BackstitchSupport", "BackstitchTestKit", "CSHA256", crypto],
            swiftSettings: settings),
        .testTarget(
            name: "BackstitchServerTests",
            dependencies: [
                "Backstitch", "BackstitchCLI", "BackstitchPostgreSQL", "BackstitchSQL", "BackstitchSQLite",
                "BackstitchServer", "BackstitchSupport", "BackstitchTestKit", "CloudWire", "DurabilityProbe",
                "TestSupport",
                crypto,
                grdb,
                log,
                metrics,
                library("Tracing", "swift-distributed-tracing", for: Needed.server),
                library("Hummingbird", "hummingbird", for: Needed.server),
                library("HummingbirdCore", "hummingbird", for: Needed.server),
                library("HummingbirdHTTP2", "hummingbird", for: Needed.server),
                tls,
            ] + client,
            exclude: ["Golden", "Identity/oidc_provider.py", "S3/moto_store.py", "Strangers/cloudkit_client.py"],
            swiftSettings: settings),
        // Reads bytes of others, as libFuzzer makes them up: `make fuzz`.
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Backstitch", "BackstitchSQL", "BackstitchSQLite", "BackstitchPostgreSQL", "BackstitchServer",
                "BackstitchSupport", "BackstitchTestKit", "CLibPQ", "CloudWire", grdb,
            ],
            path: "Tests/Fuzz", exclude: ["Corpus"], swiftSettings: settings),
        // A program that opens a synced store and does what the tests tell it, until they kill it.
        .executableTarget(
            name: "SyncProbe",
            dependencies: [
                "Backstitch", "BackstitchPostgreSQL", "BackstitchSQLite", "BackstitchSupport", "BackstitchSync",
                "TestSupport",
            ],
            path: "Tests/SyncProbe", swiftSettings: settings),
        .testTarget(
            name: "BackstitchSyncTests",
            dependencies: [
                "Backstitch", "BackstitchSQL", "BackstitchSync", "BackstitchSQLite", "BackstitchPostgreSQL",
                "BackstitchCLI", "BackstitchServer", "BackstitchSimulator", "BackstitchSupport", "BackstitchTestKit",
                "SyncProbe", "CloudWire", "TestSupport", log,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BackstitchSimulatorTests",
            dependencies: [
                "Backstitch", "BackstitchSimulate", "BackstitchSimulator", "BackstitchSync", "BackstitchServer",
                "BackstitchTestKit", "TestSupport",
            ],
            swiftSettings: settings),
        // A database that exists for its tests only: a new one is a new folder, and this target.
        .testTarget(
            name: "ThirdBackendTests",
            dependencies: ["Backstitch", "BackstitchSQL", "BackstitchSupport", "BackstitchTestKit", sqlite],
            path: "Tests/ThirdBackend", swiftSettings: settings),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["Backstitch", "BackstitchSQLite", "BackstitchSync", "BackstitchTestKit"],
            swiftSettings: settings),
        .testTarget(
            name: "BackstitchMacrosTests",
            dependencies: [
                "Backstitch", "BackstitchMacroExpansion", "BackstitchMacros", "BackstitchSQLite",
                library("SwiftDiagnostics", "swift-syntax", for: Needed.macros),
                library("SwiftSyntaxBuilder", "swift-syntax", for: Needed.macros),
                library("SwiftSyntaxMacroExpansion", "swift-syntax", for: Needed.macros),
                library("SwiftSyntaxMacros", "swift-syntax", for: Needed.macros),
                library("SwiftSyntaxMacrosGenericTestSupport", "swift-syntax", for: Needed.macros),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "UserCodeTests",
            dependencies: ["Backstitch", "BackstitchSQLite", "BackstitchSync", "BackstitchServer"],
            swiftSettings: settings + [.treatAllWarnings(as: .error)]),
        // The modules that the documentation's programs may import; its tests compile and link those programs like
        // this.
        .executableTarget(
            name: "DocumentationProbe",
            dependencies: [
                "Backstitch", "BackstitchMacros", "BackstitchPostgreSQL", "BackstitchSQLite", "BackstitchSync",
                "BackstitchTestKit", "JSONFileStore",
            ],
            path: "Tests/DocumentationProbe", packageAccess: false, swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["BackstitchServer", "BackstitchTestKit", "DocumentationProbe"], swiftSettings: settings),
        .testTarget(
            name: "CommandTests", dependencies: ["BackstitchCLI", "TestSupport"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// The demo is a package of its own, Examples/Demo. With this variable, which `make test` sets, it is built here too, so
// that its tests need no build of their own. A trait would do that as well, but it is a flag of the compiler for all
// modules of the package: each turn from `swift build` to `make test` would compile all of them again.
if Context.environment["BACKSTITCH_DEMO"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftcsv/SwiftCSV.git", from: "0.10.0"))
    package.targets += [
        .executableTarget(
            name: "Demo",
            dependencies: [
                "Backstitch", "BackstitchSQLite", "BackstitchSync", "BackstitchServer", log, arguments,
                .product(name: "SwiftCSV", package: "SwiftCSV"),
            ],
            path: "Examples/Demo/Sources/Demo", packageAccess: false),
        .testTarget(
            name: "DemoTests", dependencies: ["BackstitchCLI", "Demo", "TestSupport"], swiftSettings: settings),
    ]
}

// `BACKSTITCH_TESTS=BackstitchTests,CloudWireTests` leaves out all other test targets, so that a change in the core
// compiles those tests alone: `make test TARGETS=BackstitchTests`.
if let named = Context.environment["BACKSTITCH_TESTS"] {
    let wanted = Set(named.split(separator: ",").map(String.init))
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}

// SwiftPM finds tests on Linux in the compiler's index of the test targets. An index of all other modules too takes a
// tenth of the build, so `scripts/test` turns the index off and names the place of this one.
if let place = Context.environment["BACKSTITCH_TEST_INDEX"] {
    for target in package.targets where target.type == .test {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-index-store-path", place])]
    }
}
