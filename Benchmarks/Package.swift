// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of Backstitch never fetch what only the benchmarks need.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "backstitch", path: ".."),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.0.0"),
    ],
    targets: [
        // The peers in C: SQLite and libpq as their manuals use them.
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "CPeers", dependencies: ["CPostgres"], linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "Harness", swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CPeers", "Harness",
                .product(name: "Backstitch", package: "backstitch"),
                .product(name: "BackstitchSQLite", package: "backstitch"),
                .product(name: "BackstitchPostgreSQL", package: "backstitch"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings),
        // A program of its own: what it takes from the network's libraries builds for ten minutes.
        .executableTarget(
            name: "SyncBenchmarks",
            dependencies: [
                "Harness",
                .product(name: "Backstitch", package: "backstitch"),
                .product(name: "BackstitchSQLite", package: "backstitch"),
                .product(name: "BackstitchPostgreSQL", package: "backstitch"),
                .product(name: "BackstitchSync", package: "backstitch"),
                .product(name: "BackstitchServer", package: "backstitch"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
