import ArgumentParser
import BackstitchServer
import CloudWire
import Foundation

/// The options of `serve` about the place for the content of assets, and their largest size.
struct AssetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The place of assets' content: folder, meaning the storage's own folder, or s3://BUCKET/PREFIX.",
            discussion: """
                A PostgreSQL database has no folder of its own: name a folder or a bucket that all its servers see. \
                The bucket must exist, and no other storage may use the prefix. The access key comes from the \
                environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for a key of limited time, \
                AWS_SESSION_TOKEN.
                """, valueName: "place"))
    var assets = "folder"

    @Option(
        name: .customLong("s3-endpoint"),
        help: "The address of the store of assets, such as https://minio.example.org:9000; without it Amazon's.")
    var endpoint: String?

    @Option(
        name: .customLong("s3-region"),
        help: "The bucket's region; without it the region in AWS_REGION, else us-east-1.")
    var region: String?

    @Flag(
        name: .customLong("s3-virtual-hosts"),
        help: "The endpoint has a host for each bucket (BUCKET.minio.example.org), not a path.")
    var virtualHosts = false

    @Option(
        name: .customLong("largest-asset"),
        help: ArgumentHelp(
            "The size limit of an asset, in megabytes (1,048,576 bytes), for clients that know this server's "
                + "extensions.",
            discussion: "Other clients may send up to 50, as in CloudKit."))
    var largest = 50

    var isBucket: Bool { assets.hasPrefix("s3://") }

    /// The path of a folder other than the storage's own; nil for that one and for a bucket.
    var folder: String? { assets == "folder" || isBucket ? nil : assets }

    func validate() throws {
        guard isBucket || (endpoint == nil && region == nil && !virtualHosts) else {
            throw ValidationError("--s3-… options are for a store of assets; give --assets s3://BUCKET/PREFIX too")
        }
        guard (1...1_048_576).contains(largest) else {
            throw ValidationError("--largest-asset takes 1 to 1048576 megabytes, not \(largest)")
        }
    }

    /// Sets the limit for assets, and the bucket with its credentials.
    ///
    /// - Throws: `ValidationError` for an invalid address.
    func apply(to configuration: inout ZoneServerConfiguration, _ environment: [String: String]) throws {
        configuration.extendedLimits.asset = largest << 20
        guard isBucket else { return }
        let parts = assets.dropFirst("s3://".count).split(separator: "/", maxSplits: 1)
        var prefix = parts.count > 1 ? parts[1] : ""
        if prefix.hasSuffix("/") { prefix.removeLast() }
        let endpoint = try endpoint.map { text in
            guard let url = URL(string: text), url.host != nil else {
                throw ValidationError("--s3-endpoint takes an absolute URL, not \"\(text)\"")
            }
            return url
        }
        let regions = [region, environment["AWS_REGION"], environment["AWS_DEFAULT_REGION"], "us-east-1"]
        configuration.assets = .s3(
            S3Configuration(
                endpoint: endpoint, bucket: String(parts.first ?? ""),
                region: regions.compactMap(\.self).first { !$0.isEmpty } ?? "", prefix: String(prefix),
                credentials: try .init(environment: environment), pathStyle: virtualHosts ? false : nil))
    }
}
