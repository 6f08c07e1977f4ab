// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "TodoServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Backstitch", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.10.0", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "TodoServer",
            dependencies: [
                .product(name: "Backstitch", package: "Backstitch"),
                .product(name: "BackstitchMacros", package: "Backstitch"),
                .product(name: "BackstitchPostgreSQL", package: "Backstitch"),
                .product(name: "BackstitchSQLite", package: "Backstitch"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
