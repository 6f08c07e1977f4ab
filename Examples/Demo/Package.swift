// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Demo",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Without TLS and encryption, a first build compiles no BoringSSL.
        .package(name: "Backstitch", path: "../..", traits: ["Sync", "Server"]),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/swiftcsv/SwiftCSV.git", from: "0.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Demo",
            dependencies: [
                .product(name: "Backstitch", package: "Backstitch"),
                .product(name: "BackstitchSQLite", package: "Backstitch"),
                .product(name: "BackstitchSync", package: "Backstitch"),
                .product(name: "BackstitchServer", package: "Backstitch"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SwiftCSV", package: "SwiftCSV"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
