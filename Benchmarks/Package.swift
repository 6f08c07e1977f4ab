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
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CPeers",
                .product(name: "Backstitch", package: "backstitch"),
                .product(name: "BackstitchSQLite", package: "backstitch"),
                .product(name: "BackstitchPostgreSQL", package: "backstitch"),
                .product(name: "BackstitchSync", package: "backstitch"),
                .product(name: "BackstitchServer", package: "backstitch"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
