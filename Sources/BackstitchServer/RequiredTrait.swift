#if !Server
#error("BackstitchServer needs the trait Server of its package: .package(url: …, traits: [\"Server\"])")
#endif
