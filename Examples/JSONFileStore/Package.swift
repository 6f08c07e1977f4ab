// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "JSONFileStore",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "JSONFileStore", targets: ["JSONFileStore"])],
    dependencies: [.package(name: "Backstitch", path: "../..")],
    targets: [
        .target(name: "JSONFileStore", dependencies: [.product(name: "Backstitch", package: "Backstitch")]),
        .testTarget(
            name: "JSONFileStoreTests",
            dependencies: [
                "JSONFileStore",
                .product(name: "Backstitch", package: "Backstitch"),
                .product(name: "BackstitchTestKit", package: "Backstitch"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
