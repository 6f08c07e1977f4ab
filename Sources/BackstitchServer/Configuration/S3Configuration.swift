public import Foundation

extension ZoneServerConfiguration {
    /// The place for the content of assets.
    public enum Assets: Sendable, Hashable {
        /// The folder `assets` of the storage.
        case folder
        /// A bucket of a store that speaks Amazon's S3.
        case s3(S3Configuration)
    }
}

/// A place for assets' content in a store with the S3 protocol: Amazon's own, MinIO, Ceph and others.
///
/// ```swift
/// configuration.assets = .s3(S3Configuration(
///     endpoint: URL(string: "https://minio.example.org"), bucket: "notes", prefix: "assets",
///     credentials: try .init(environment: ProcessInfo.processInfo.environment)))
/// ```
public struct S3Configuration: Sendable, Hashable {
    /// An access key and its secret. No description shows them.
    public struct Credentials: Sendable, Hashable {
        /// The public name of the access key.
        public var accessKeyID: String
        /// The secret for the signatures of requests. It is never sent.
        public var secretAccessKey: String
        /// The session token of a temporary key; nil for a permanent one.
        public var sessionToken: String?

        /// Creates credentials from an access key and its secret.
        public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
            self.accessKeyID = accessKeyID
            self.secretAccessKey = secretAccessKey
            self.sessionToken = sessionToken
        }

        /// Reads the key from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, if set, `AWS_SESSION_TOKEN`.
        ///
        /// - Throws: ``ZoneServerError`` with the name of the missing variable.
        public init(environment: [String: String]) throws(ZoneServerError) {
            func value(_ name: String) throws(ZoneServerError) -> String {
                guard let value = environment[name], !value.isEmpty else {
                    throw ZoneServerError(
                        .invalidConfiguration,
                        "\(name) is not set; the store of assets takes its access key from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                    )
                }
                return value
            }
            self.init(
                accessKeyID: try value("AWS_ACCESS_KEY_ID"), secretAccessKey: try value("AWS_SECRET_ACCESS_KEY"),
                sessionToken: environment["AWS_SESSION_TOKEN"].flatMap { $0.isEmpty ? nil : $0 })
        }
    }

    /// The address of the store; nil for Amazon's store in the region.
    public var endpoint: URL?
    /// The name of the bucket, which must exist already.
    public var bucket: String
    /// The region named in signatures. Self-hosted stores accept almost any.
    public var region: String
    /// The prefix of all object names, followed by a slash. No other storage may use it.
    public var prefix: String
    /// The key for the signatures of requests.
    public var credentials: Credentials
    /// Whether the bucket's name is in the path of URLs instead of the host name. Unless set, it is true for a given
    /// endpoint. It is also true for a name with a dot, since Amazon's certificates do not cover such a name.
    public var pathStyle: Bool
    /// Size of a part, in bytes, at least 5 MiB. Larger files are sent in parts, and each part is retried by itself.
    public var partSize: Int

    /// Creates a place in a bucket, with parts of 64 MiB.
    public init(
        endpoint: URL? = nil, bucket: String, region: String = "us-east-1", prefix: String = "",
        credentials: Credentials, pathStyle: Bool? = nil
    ) {
        self.endpoint = endpoint
        self.bucket = bucket
        self.region = region
        self.prefix = prefix
        self.credentials = credentials
        self.pathStyle = pathStyle ?? (endpoint != nil || bucket.contains("."))
        partSize = 64 << 20
    }
}

extension S3Configuration.Credentials: CustomStringConvertible, CustomReflectable {
    /// Shows nothing of the key.
    public var description: String { "an access key" }
    /// Shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
