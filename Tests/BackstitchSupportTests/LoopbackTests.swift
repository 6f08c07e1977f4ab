import BackstitchSupport
import Testing

@Suite("names of this machine alone")
struct LoopbackTests {
    @Test(
        "localhost and the loopback's addresses are; names that only look like one are not",
        arguments: [
            ("localhost", true), ("::1", true), ("127.0.0.1", true), ("127.255.0.9", true), ("127.example.org", false),
            ("127.0.0.1.example.org", false), ("127.0.0", false), ("127.0.0.256", false), ("128.0.0.1", false),
            ("localhost.example.org", false), ("LOCALHOST", false), ("", false),
        ])
    func hosts(_ host: String, _ isLoopback: Bool) { #expect(host.isLoopbackHost == isLoopback) }
}
