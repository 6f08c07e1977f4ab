import BackstitchSupport
import CloudWire
import Foundation
import Testing

@testable import BackstitchServer

@Suite("tokens that keep nobody out") struct TokenWeaknessTests {
    private func weakness(_ token: String) -> TokenWeakness? { TokenDigest(of: token).weakness }

    @Test(
        "are refused when a server is made, with what is wrong and what to do",
        arguments: [
            ("0123456789abcdefghijk", "less than 22 characters"),
            (String(repeating: "a", count: 64), "repeats itself"),
            ("abcdefghijabcdefghijabcdefghij", "repeats itself"),
            ("abcabcabdabcabdabcabdabcabeabc", "few different characters"),
            ("my-example-token-0123456789abc", "a public sample"),
            ("CHANGEME-changeme-4711-xyzzy-42", "a public sample"),
            (String(repeating: "0123456789abcdef", count: 4), "repeats itself"),
        ])
    func refused(_ token: String, _ hint: String) throws {
        #expect(weakness(token) != nil)
        let user = ZoneServerConfiguration.User(userRecordName: "_ada", webAuthToken: token)
        for change: (inout ZoneServerConfiguration) -> Void in [
            { $0.users = [user] }, { $0.apiTokens = [TokenDigest(of: token)] },
            {
                $0.administration = .init(port: 0)
                $0.administration?.tokens = [TokenDigest(of: token)]
            },
        ] {
            var configuration = ZoneServerConfiguration(storage: .memory)
            configuration.containers = .any
            change(&configuration)
            let error = #expect(throws: ZoneServerError.self) { try ZoneServer(configuration: configuration) }
            #expect(error?.code == .insecureConfiguration)
            #expect(error?.message.contains(hint) == true && error?.message.contains("backstitch token") == true)
            #expect(error?.message.contains(token) == false)
        }
    }

    @Test("are found out by their digest, and when they are used")
    func digests() async throws {
        let printed = try #require(
            TokenDigest(sha256: TokenDigest(of: String(repeating: "0123456789abcdef", count: 4)).sha256))
        #expect(printed.weakness == .printed)
        let token = "my-example-token-0123456789abc"
        let digest = try #require(TokenDigest(sha256: TokenDigest(of: token).sha256))
        #expect(digest.weakness == nil)
        // The file of users has a digest, which does not reveal weakness; the token itself does.
        try await withServer({
            $0.users = [.init(userRecordName: "_ada", token: digest)]
        }) { client, _ in
            var ada = client
            ada.bearer = token
            let error = await expectFailure(.authenticationFailed) { try await ada.makeZone() }
            #expect(error?.reason.contains("sample") == true)
        }
    }

    @Test("random tokens are none of them, in each alphabet")
    func random() {
        let random = SystemServerRandom()
        for _ in 0..<2_000 {
            #expect(weakness(random.bytes(16).hexadecimal) == nil)
            #expect(weakness(random.bytes(32).base64URL) == nil)
        }
    }

    @Test("no document or example prints a token that a server would take")
    func documents() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        var texts = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "DEVIATIONS.md"].map { root.appending(path: $0) }
        for folder in ["Documentation", "Operations", "Examples"] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            let kinds = ["md", "yaml", "service", "swift"]
            let wanted = names.filter { !$0.contains(".build/") && kinds.contains(URL(filePath: $0).pathExtension) }
            texts += wanted.map { root.appending(path: folder).appending(path: $0) }
        }
        #expect(texts.count > 10)
        for file in texts {
            let text = try String(contentsOf: file, encoding: .utf8)
            let words = text.matches(of: /[A-Za-z0-9_+\/=-]{22,}/).flatMap { $0.output.split(separator: "=") }
            for token in words.map(String.init) where token.count >= TokenWeakness.shortest {
                let classes = [
                    token.contains(where: \.isNumber), token.contains(where: \.isUppercase),
                    token.contains(where: \.isLowercase),
                ]
                // Names of things and paths have words; a secret has letters of both kinds and digits among them.
                let digits = token.count(where: \.isNumber)
                guard classes.allSatisfy({ $0 }), digits >= 4, !token.contains("/") else { continue }
                #expect(weakness(token) != nil, "\(file.lastPathComponent) prints \(token)")
            }
        }
    }
}
