import BackstitchServer
import Foundation
import Logging
import NIOHTTP1
import TestSupport
import Testing

extension S3Tests {
    @Suite("are refused with what to do") struct MistakeTests {
        struct Wrong: Sendable, CustomTestStringConvertible {
            var testDescription: String
            /// Which the error must have.
            var words: [String]
            /// An answer of the store.
            var fault: (status: Int, code: String, extra: String)?
            var change: @Sendable (inout ZoneServerConfiguration, MotoStore) -> Void

            init(
                _ name: String, _ words: String...,
                change: @escaping @Sendable (inout ZoneServerConfiguration, MotoStore) -> Void
            ) {
                testDescription = name
                self.words = words
                self.change = change
            }

            init(_ name: String, _ words: String..., bucket: @escaping @Sendable (MotoStore) -> S3Configuration) {
                testDescription = name
                self.words = words
                change = { $0.assets = .s3(bucket($1)) }
            }

            init(_ name: String, _ words: String..., answer status: Int, _ code: String, _ extra: String = "") {
                testDescription = name
                self.words = words
                fault = (status, code, extra)
                change = { $0.assets = .s3($1.configuration("notes", port: $1.faultyPort)) }
            }
        }

        static let mistakes = [
            Wrong("a bucket that is not there", "there is no bucket 'nowhere'", "make it") {
                $0.configuration("nowhere")
            },
            Wrong("a port at which nothing listens", "cannot be reached", "--s3-endpoint") {
                $0.configuration("notes", port: 9)
            },
            Wrong("a port at which something else listens", "does not answer as S3 does") { moto in
                // A certificate is asked of what has none.
                var configuration = moto.configuration("notes")
                configuration.endpoint = URL(string: "https://127.0.0.1:\(moto.port)")
                return configuration
            },
            Wrong(
                "a key without rights", "s3:PutObject", "'notes'", "zones/assets/*", answer: 403, "AccessDenied"),
            Wrong("a key that is unknown", "AWS_ACCESS_KEY_ID", answer: 403, "InvalidAccessKeyId"),
            Wrong("a wrong secret", "AWS_SECRET_ACCESS_KEY", answer: 403, "SignatureDoesNotMatch"),
            Wrong("a session that has ended", "AWS_SESSION_TOKEN", answer: 400, "ExpiredToken"),
            Wrong("a clock that is wrong", "clocks", "GMT", "set this machine's", answer: 403, "RequestTimeTooSkewed"),
            Wrong(
                "another region", "is in the region eu-west-1", "--s3-region eu-west-1", answer: 400,
                "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>"),
            Wrong("records in memory", "--storage") { configuration, moto in
                configuration.storage = .memory
                configuration.assets = .s3(moto.configuration("notes"))
            },
            Wrong("a name that no bucket has", "'no bucket' is not a name of a bucket") {
                $0.configuration("no bucket")
            },
            Wrong("a prefix with a slash before it", "is not a prefix") {
                $0.configuration("notes", prefix: "/assets")
            },
            Wrong("an endpoint with a path", "without a path") { moto in
                var configuration = moto.configuration("notes")
                configuration.endpoint = URL(string: "http://127.0.0.1/s3")
                return configuration
            },
        ]

        @Test("at the start, without a word of the key", arguments: mistakes)
        func told(_ mistake: Wrong) async throws {
            let moto = try await MotoStore.shared
            if let (status, code, extra) = mistake.fault { try await moto.fault(status, code, extra) }
            try await withFolder { folder in
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                var configuration = ZoneServerConfiguration(port: 0, storage: .directory(folder))
                configuration.containers = .any
                configuration.clock = HastyClock()
                configuration.logger.logLevel = .critical
                mistake.change(&configuration, moto)
                do {
                    let server = try ZoneServer(configuration: configuration)
                    _ = try await server.start()
                    try await server.stop()
                    Issue.record("it started")
                } catch {
                    let said = "\(error)"
                    for word in mistake.words { #expect(said.contains(word)) }
                    #expect(!said.contains(MotoStore.credentials.accessKeyID))
                    #expect(!said.contains(MotoStore.credentials.secretAccessKey))
                }
            }
        }

        @Test("when the environment has no key")
        func environment() {
            #expect {
                try S3Configuration.Credentials(environment: ["AWS_ACCESS_KEY_ID": "AKIA"])
            } throws: {
                "\($0)".contains("AWS_SECRET_ACCESS_KEY is not set") && !"\($0)".contains("AKIA")
            }
        }

        @Test("by the command; with what it takes the command serves")
        func command() async throws {
            let moto = try await MotoStore.shared
            let bucket = try await moto.bucket()
            let key = [
                "AWS_ACCESS_KEY_ID": MotoStore.credentials.accessKeyID,
                "AWS_SECRET_ACCESS_KEY": MotoStore.credentials.secretAccessKey,
            ]
            try await withFolder { folder in
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                func outcome(_ arguments: [String]) async throws -> TestProcess.Outcome {
                    try await TestProcess(
                        "backstitch",
                        ["serve", "--any-container", "--port", "0", "--storage", folder.path] + arguments,
                        environment: key, errors: .withOutput
                    ).ended()
                }
                let endpoint = ["--s3-endpoint", "http://127.0.0.1:\(moto.port)"]
                for (arguments, word) in [
                    (["--assets", "bucket"], "s3://BUCKET/PREFIX"), (endpoint, "--assets s3://BUCKET/PREFIX"),
                    (["--assets", "s3://nowhere/a"] + endpoint, "there is no bucket 'nowhere'"),
                ] {
                    let outcome = try await outcome(arguments)
                    #expect(outcome.status != 0)
                    #expect(outcome.output.contains(word), "\(outcome.output)")
                    #expect(!outcome.output.contains("AKIA"))
                }
                let server = try ServerProcess(
                    storage: folder, ["--assets", "s3://\(bucket)/notes/"] + endpoint, environment: key)
                let client = TestClient(base: server.url)
                try await client.makeZone()
                let url = try await client.saveAsset("A", [1, 2, 3])
                #expect(try await moto.objects(bucket) == [S3Tests.key([1, 2, 3], prefix: "notes"): 3])
                #expect(try await client.send(url, method: .GET).body == [1, 2, 3])
                #expect(server.process.stop() == 0)
            }
        }
    }
}
