import BackstitchSupport
import Crypto
import Foundation
import Testing

@testable import BackstitchServer

/// The examples of Amazon's documentation, "Signature Calculations for the Authorization Header".
@Suite("signatures of requests to S3") struct S3SignerTests {
    private static let host = "examplebucket.s3.amazonaws.com"
    private static let time: Int64 = 1_369_353_600_000
    private static let signer = S3Signer(credentials: MotoStore.credentials, region: "us-east-1")

    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var request: S3Request
        var canonicalDigest: String?
        var names: String
        var signature: String
    }

    static let examples: [Example] = [
        Example(
            testDescription: "GET Object",
            request: S3Request(method: "GET", path: "/test.txt", headers: [("Range", "bytes=0-9")]),
            canonicalDigest: "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972",
            names: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            testDescription: "PUT Object",
            request: S3Request(
                method: "PUT", path: "/" + S3Request.encoded("test$file.text"),
                headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
                digest: Crypto.SHA256.hash(data: Data("Welcome to Amazon S3.".utf8)).hexadecimal),
            canonicalDigest: "9e0e90d9c76de8fa5b200d8c849cd5b8dc7a3be3951ddb7f6a76b4158342019d",
            names: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            testDescription: "GET Bucket Lifecycle",
            request: S3Request(method: "GET", path: "/", query: [("lifecycle", "")]),
            names: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            testDescription: "GET Bucket (List Objects)",
            request: S3Request(method: "GET", path: "/", query: [("prefix", "J"), ("max-keys", "2")]),
            names: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test("are those of the documentation", arguments: examples)
    func documented(_ example: Example) throws {
        let headers = Self.signer.headers(of: example.request, host: Self.host, at: Self.time)
        let canonical = S3Signer.canonical(example.request, headers.filter { $0.name != "authorization" })
        if let digest = example.canonicalDigest {
            #expect(Crypto.SHA256.hash(data: Data(canonical.text.utf8)).hexadecimal == digest, "\(canonical.text)")
        }
        let authorization = try #require(headers.last { $0.name == "authorization" }?.value)
        #expect(
            authorization
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=\(example.names),Signature=\(example.signature)"
        )
    }

    @Test("take the token of a session, and blanks as one")
    func session() throws {
        var credentials = MotoStore.credentials
        credentials.sessionToken = "token/of+a=session"
        let request = S3Request(method: "GET", path: "/a", headers: [("X-Note", "  two   words ")])
        let headers = S3Signer(credentials: credentials, region: "eu-west-1").headers(
            of: request, host: Self.host, at: Self.time)
        #expect(headers.contains { $0 == ("x-amz-security-token", "token/of+a=session") })
        let (text, names) = S3Signer.canonical(request, headers.filter { $0.name != "authorization" })
        #expect(names == "host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-note")
        #expect(text.contains("\nx-amz-security-token:token/of+a=session\nx-note:two words\n\n"))
        let authorization = headers.last { $0.name == "authorization" }?.value ?? ""
        #expect(authorization.contains("/20130524/eu-west-1/s3/aws4_request,"))
        #expect(!authorization.contains("token/of"))
    }

    @Test("encode names and values once, in their order")
    func encoding() {
        let request = S3Request(
            method: "GET", path: "/", query: [("b", "2 +/=&~é"), ("a b", ""), ("b", "1")])
        #expect(request.encodedQuery == "a%20b=&b=1&b=2%20%2B%2F%3D%26~%C3%A9")
    }

    @Test("neither a description nor a mirror shows the key")
    func secrets() {
        var configuration = S3Configuration(bucket: "notes", credentials: MotoStore.credentials)
        configuration.credentials.sessionToken = "session-token"
        for text in [
            "\(configuration)", String(reflecting: configuration),
            "\(ZoneServerConfiguration.Assets.s3(configuration))",
        ] {
            for secret in ["wJalrXUtn", "AKIAIOSF", "session-token"] { #expect(!text.contains(secret), "\(text)") }
        }
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("wJalrXUtn") && !dumped.contains("AKIAIOSF"))
    }

    @Test(
        "buckets are in the path, or before the host",
        arguments: [
            ("http://127.0.0.1:9000", nil, "http://127.0.0.1:9000", "127.0.0.1:9000", "/notes/p/k"),
            (
                "https://minio.example.org:443", false, "https://notes.minio.example.org:443",
                "notes.minio.example.org", "/p/k"
            ),
            ("HTTPS://MinIO.example.org/", true, "https://minio.example.org", "minio.example.org", "/notes/p/k"),
            (nil, nil, "https://notes.s3.eu-west-1.amazonaws.com", "notes.s3.eu-west-1.amazonaws.com", "/p/k"),
        ] as [(String?, Bool?, String, String, String)])
    func addresses(_ endpoint: String?, _ pathStyle: Bool?, _ origin: String, _ host: String, _ path: String) throws {
        let configuration = S3Configuration(
            endpoint: endpoint.flatMap { URL(string: $0) }, bucket: "notes", region: "eu-west-1", prefix: "p",
            credentials: MotoStore.credentials, pathStyle: pathStyle)
        #expect(configuration.fault == nil)
        #expect(configuration.origin == origin)
        #expect(configuration.hostHeader == host)
        #expect(configuration.path(configuration.key("k")) == path)
    }
}
